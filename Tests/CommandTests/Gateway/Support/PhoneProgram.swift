import Foundation
import Platform
import TestSupport
import Testing

/// A robot vision phone in a process of its own, which can disappear and return.
final class PhoneProgram {
  private let bench: Bench
  private var running: Bench.Running
  /// The port on which it listens, which stays the same after its return.
  let port: String

  init(in bench: Bench) async throws {
    self.bench = bench
    try bench.write(
      """
      import socket, sys
      server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
      print(server.getsockname()[1], file=sys.stderr, flush=True)
      number = 0
      while True:
          connection, _ = server.accept()
          with connection:
              try:
                  while data := connection.recv(64):
                      for _ in range(data.count(b"VISION")):
                          number += 1
                          with open("answer") as file:
                              answer = file.read().replace("#", str(number))
                          connection.sendall(answer.encode())
              except OSError:
                  pass
      """, "phone.py")
    running = try bench.start("/usr/bin/env", ["python3", "phone.py", "0"])
    let first = running
    try await Stage.wait("the phone", within: 20) { first.errorsSoFar.hasSuffix("\n") }
    port = first.errorsSoFar.trimmingCharacters(in: .whitespacesAndNewlines)
    try #require(UInt16(port) != nil, "\(port)")
  }

  deinit { if running.isRunning { kill(running.identifier, SIGKILL) } }

  /// Sets its answers from now on. `#` is replaced by an increasing number.
  func answers(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: bench.path("answer")), options: .atomic)
  }

  func goAway() async throws {
    kill(running.identifier, SIGKILL)
    try await Stage.wait("the phone's end", within: 20) { !self.running.isRunning }
  }

  func comeBack() throws {
    running = try bench.start("/usr/bin/env", ["python3", "phone.py", port])
  }
}
