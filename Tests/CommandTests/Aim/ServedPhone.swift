import TestSupport
import Testing

/// A running `aim --serve`, and a client of it.
final class ServedPhone {
  private let running: Bench.Running
  private let socket: PlainSocket
  let port: UInt16

  init(_ options: [String] = [], in bench: Bench) async throws {
    let program = try #require(Bench.program)
    let running = try bench.start(
      program, ["aim", "seen.jsonl", "--serve", "127.0.0.1:0"] + options)
    var port: UInt16 = 0
    try await Stage.wait("the address") {
      let line = running.errorsSoFar.split(separator: "\n").first { $0.contains("phone is at") }
      port = line.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) } ?? 0
      return port > 0
    }
    self.running = running
    self.port = port
    socket = try PlainSocket(port: port)
  }

  /// Sends queries until an answer contains this text.
  func answer(with text: String) async throws -> String {
    var answer = ""
    try await Stage.wait(text) {
      self.socket.write("VISION".utf8)
      answer = self.socket.read(through: "\n")
      return answer.contains(text)
    }
    return answer
  }

  func shutDown() async throws -> Bench.Outcome {
    socket.write("SHUTDOWN".utf8)
    try await Stage.wait("its end") { !self.running.isRunning }
    return try running.finish(within: 5)
  }
}
