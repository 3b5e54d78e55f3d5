public import Testing

/// Records the session of each turret that fails in a test: its trace, what became of its bytes,
/// and a picture.
public struct TurretRecord: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal static var current: TurretRecord?

  /// The folder for the files; nil for attachments of the test.
  let folder: String?

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
  public static var recordsTurret: TurretRecord { TurretRecord(folder: nil) }

  /// Writes the session of each turret that fails to a folder, named after the test.
  ///
  /// - Parameter folder: relative to the folder in which the tests run. It is created if necessary.
  public static func recordsTurret(in folder: String) -> TurretRecord {
    TurretRecord(folder: folder)
  }
}
