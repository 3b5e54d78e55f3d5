import Foundation
import TestSupport
import Testing

/// `run` with a network in addition to its pty.
@Suite(.ownThread) struct RunNetworkTests {
  @Test func `A command finds the addresses in its environment`() async throws {
    let bench = try Bench()
    // Only requests /health at the WebSocket address, because that takes a single line.
    try bench.write(
      """
      import os, socket, urllib.request
      assert os.path.exists(os.environ["SENTRY_PORT"])
      url = os.environ["SENTRY_WEBSOCKET"]
      assert url.startswith("ws://127.0.0.1:") and url.endswith("/"), url
      assert urllib.request.urlopen("http" + url[2:] + "health", timeout=10).status == 200
      host, port = os.environ["SENTRY_TCP"].rsplit(":", 1)
      with socket.create_connection((host, int(port)), 10) as connection:
          connection.sendall(b"X45.")
      """, "sender.py")
    let stage = try Stage(
      options: ["-q", "--websocket", "127.0.0.1:0", "--tcp", "127.0.0.1:0"],
      command: ["python3", "sender.py"], in: bench)
    let outcome = try await stage.end(within: 20)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(stage.recordedLines(with: "\"servo\", 45") == 1)
    try stage.expectSameReplay(outcome)
  }

  @Test func `Options for a network require one`() throws {
    let outcome = try Bench().run("run", "--raw", "--for", "100ms")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--websocket"), "\(outcome.errors)")
  }
}
