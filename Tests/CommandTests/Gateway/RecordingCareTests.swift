import Foundation
import Platform
import TestSupport
import Testing

/// A gateway's recording while other programs use its file.
@Suite(.ownThread) struct RecordingCareTests {
  @Test func `A recording is for its owner only, and is recreated if it is deleted while idle`()
    async throws
  {
    let stage = try await GatewayStage()
    let path = stage.bench.path("record.jsonl")
    try await stage.recorded("\"servo\", 90")
    #expect(try Self.permissions(path) == 0o600)
    try FileManager.default.removeItem(atPath: path)
    try await stage.recorded("part 2 of a session")
    #expect(try Self.permissions(path) == 0o600)
    try await Stage.wait("what it says", within: 20) {
      stage.errors.contains(
        "record.jsonl: the recording was deleted, and 1 event with it; a new part was started\n")
    }
    #expect(try stage.metric("recording_events_lost_total") == 1)
    _ = try await stage.terminate()
  }

  @Test func `A recording of run is like any other file that is written`() throws {
    let bench = try Bench()
    let outcome = try bench.run(
      "run", "-q", "--pty", bench.path("port"), "--record", "record.jsonl", "--for", "10ms")
    #expect(outcome.status == 0)
    try bench.write("", "other")
    #expect(
      try Self.permissions(bench.path("record.jsonl")) == Self.permissions(bench.path("other")))
  }

  private static func permissions(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o777
  }
}
