import Platform
import SentryBenchTesting
import TestSupport
import Testing

/// What a test's trait keeps of sessions that fail.
@Suite(.ownThread) struct TurretRecordTests {
  private static let folder = "\(temporaryFolder)/sentrybench-record-\(getpid())"

  @Test(.recordsTurret(in: folder)) func `A session that fails is kept`() async throws {
    let failures = try await asyncFailures {
      try await Turret.run { turret in
        try await turret.send("X90.")
        try await turret.expect(.servo(110), within: .milliseconds(20), of: "X90.")
      }
    }
    let expected = #"servo 110 within 20 ms of "X90." failed"#
    #expect(failures.map { $0.text.contains(expected) } == [true])
    let stem = "\(Self.folder)/A-session-that-fails-is-kept"
    #expect(text(of: "\(stem).jsonl").contains(#""rx", "X90.""#))
    #expect(text(of: "\(stem).txt").contains("X"))
    let svg = text(of: "\(stem).svg")
    #expect(svg.hasPrefix("<svg") && svg.contains(">A session that fails is kept</title>"))
    for ending in ["jsonl", "txt", "svg"] { unlink("\(stem).\(ending)") }
    rmdir(Self.folder)
  }

  @Test(.recordsTurret(in: folder + "-unused")) func `A session that holds is not kept`()
    async throws
  {
    try await Turret.run { turret in
      try await turret.send("X90.")
      try await turret.never(.junk)
    }
    #expect(access(Self.folder + "-unused", F_OK) != 0)
  }

  @Test(.recordsTurret) func `A session is attached`() async throws {
    let failures = try await asyncFailures {
      try await Turret.run { turret in try await turret.never(.junk) }
    }
    #expect(failures.map { $0.text.contains("never junk failed") } == [true])
  }
}

private func text(of path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes[..<count], as: UTF8.self)
}

private let temporaryFolder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
