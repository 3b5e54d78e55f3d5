import Foundation
import TestSupport
import Testing

/// A session that can no longer be recorded.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "/dev/full, and limits on files"))
struct FullDiskTests {
  @Test func `The gateway continues, reports the full disk once, and writes whole lines`()
    async throws
  {
    // The limit applies to files; standard error is a pipe that was opened before it was set.
    let stage = try await GatewayStage(
      shell: #"exec 2> >(cat >&2); ulimit -S -f 1; exec "$0" "$@""#)
    let peer = try stage.connect()
    // A sweep writes a line every 15 ms.
    peer.send("L")
    let health = try await stage.health(is: 503)
    let why = "record.jsonl: error: cannot be written: File too large"
    #expect(health["problems"] as? [String] == [why])
    let recording = health["recording"] as? [String: Any]
    #expect(recording?["failure"] as? String == why)
    #expect(health["board"] as? Bool == true)

    peer.send("X45.")
    try await stage.metric("commanded_angle_degrees", is: 45)
    let metrics = try stage.metrics()
    #expect(metrics["recording_working"] == 0)
    #expect(metrics["recording_events_lost_total", default: 0] > 0)
    let outcome = try await stage.terminate()
    #expect(outcome.status == 143)
    #expect(peer.receive() == .close(1001))
    try await Stage.wait("what it said", within: 10) { stage.errors.contains(why) }
    #expect(stage.errors.split(separator: why).count == 2, "\(stage.errors)")
    let text = stage.recording
    #expect(text.utf8.count > 900 && text.utf8.count <= 1_024)
    #expect(text.hasSuffix("]\n"))
    #expect(try stage.bench.run("explain", "record.jsonl").status == 0)
    #expect(try stage.bench.run("verify", "record.jsonl").status == 0)
  }

  @Test func `After a full disk a gateway that ends on schedule has status 74`() async throws {
    let stage = try await GatewayStage(
      ["--record", "/dev/full", "--for", "600ms"], records: false)
    try await stage.health(is: 503)
    let outcome = try await stage.finish()
    #expect(outcome.status == 74)
    let why = "/dev/full: error: cannot be written: No space left on device"
    #expect(outcome.errors.split(separator: why).count == 2, "\(outcome.errors)")
  }
}
