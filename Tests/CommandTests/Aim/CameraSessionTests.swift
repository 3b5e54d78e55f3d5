import Foundation
import Platform
import Sketches
import TestSupport
import Testing
import Traces

/// A camera's recorded observations, which are next to these tests, and the resulting session that
/// the gateway recorded, which is in the corpus.
@Suite("A camera's session", .ownThread) struct CameraSessionTests {
  struct Session: CustomTestStringConvertible, Sendable {
    var name: String
    var options: [String] = []
    var testDescription: String { name }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    var observations: String {
      Self.folder.appending(path: "Observations/\(name).jsonl").path
    }
    var trace: String {
      Self.folder.appending(path: "../../../traces/field/\(name)-guarded.jsonl").standardized.path
    }
  }

  static let sessions = [
    Session(name: "camera-face"),
    Session(name: "camera-strips", options: ["--strips", "--mapping", "fov"]),
  ]

  private func events(_ path: String) throws -> [Event.Kind] {
    var reader = try TraceReader(path: path)
    var kinds: [Event.Kind] = []
    while let event = try reader.next() { kinds.append(event.kind) }
    return kinds
  }

  private func commands(_ path: String) throws -> [String] {
    try events(path).compactMap {
      guard case .receive(let bytes) = $0 else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func angles(_ path: String) throws -> [UInt8] {
    try events(path).compactMap {
      guard case .output(.servo(let degrees, _, _)) = $0 else { return nil }
      return degrees
    }
  }

  @Test(arguments: sessions)
  func `A session has exactly the commands that its observations give`(_ session: Session) throws {
    let bench = try Bench()
    let program = try #require(Bench.program)
    let aimed = try bench.start(
      program, ["aim", session.observations, "--to", "-"] + session.options
    ).finish()
    #expect(aimed.status == 0, "\(aimed.errors)")
    try bench.write(aimed.output, "aimed.jsonl")
    let sent = try commands(bench.path("aimed.jsonl"))
    #expect(sent.count > 30)
    #expect(try commands(session.trace) == sent)

    let replayed = try bench.run(
      "replay", "aimed.jsonl", "--until", "3s", "-o", "replayed.jsonl")
    #expect(replayed.status == 0, "\(replayed.errors)")
    #expect(try angles(bench.path("replayed.jsonl")) == angles(session.trace))
  }
}
