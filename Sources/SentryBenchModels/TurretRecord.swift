public import Testing

/// Records the session of each turret that fails in a test: its trace, what became of its bytes,
/// and a picture.
public struct TurretRecord: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal package static var current: TurretRecord?

  /// Writes the files of a session, named after the test; nil for attachments of the test.
  fileprivate let write: (@Sendable (SessionFiles, _ name: String) -> Void)?

  package init(_ write: (@Sendable (SessionFiles, _ name: String) -> Void)? = nil) {
    self.write = write
  }

  public var isRecursive: Bool { true }

  /// Runs a test whose failed sessions are recorded.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$current.withValue(self, operation: function)
  }
}

extension Trait where Self == TurretRecord {
  /// Attaches the session of each turret that fails: `turret.jsonl`, a trace that `sentrybench`
  /// reads, `turret.txt`, what became of its bytes, and `turret.svg`, a picture.
  /// `swift test --attachments-path FOLDER` writes attachments to files.
  public static var recordsTurret: TurretRecord { TurretRecord() }
}

/// The texts that are kept of a session that failed.
package struct SessionFiles: Sendable {
  var trace: String
  var explanation: String?
  var picture: String?

  package init(trace: String, explanation: String?, picture: String?) {
    self.trace = trace
    self.explanation = explanation
    self.picture = picture
  }

  /// The texts, and the endings of their files' names.
  package var parts: [(ending: String, text: String)] {
    [("jsonl", trace)] + (explanation.map { [("txt", $0 + "\n")] } ?? [])
      + (picture.map { [("svg", $0)] } ?? [])
  }

  /// Attaches or writes the texts, as the test's trait specifies.
  package func keep() {
    guard let record = TurretRecord.current else { return }
    if let write = record.write { return write(self, Test.current?.name ?? "turret") }
    for part in parts { Attachment.record(part.text, named: "turret.\(part.ending)") }
  }
}
