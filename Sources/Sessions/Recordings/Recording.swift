import SystemPackage

/// A trace that is written while it happens: every whole line is in the file at once, so whatever
/// ends the bench, the recording is whole up to the last line.
struct Recording: ~Copyable {
  let path: String
  private var file: RecordingFile
  private(set) var isBroken = false

  private var hasBegun = false

  /// Opens the file and claims it. What is in it stays until the first line is written.
  init(_ path: String) throws(Failure) {
    self.path = path
    file = try Self.claim(path, permissions: .init(rawValue: 0o644))
  }

  /// `permissions`: of a file that is created.
  static func claim(
    _ path: String, permissions: FilePermissions
  ) throws(Failure) -> RecordingFile {
    do {
      return try RecordingFile(claiming: path, permissions: permissions)
    } catch .wouldBlock {
      throw Failure(.inputOutput, "\(path): error: another bench is recording to this file")
    } catch {
      throw Failure(writing: path, error)
    }
  }

  /// Writes whole lines. Where that fails, what was there before stays and nothing more is written.
  mutating func write(_ lines: [UInt8]) throws(Failure) {
    guard !isBroken, !lines.isEmpty else { return }
    if !hasBegun { file.empty() }
    hasBegun = true
    do {
      try file.append(lines)
    } catch {
      isBroken = true
      throw Failure(writing: path, error)
    }
  }

  /// The session is over. A full disk may show only now.
  mutating func finish() throws(Failure) {
    guard !isBroken else { return }
    do {
      try file.synchronize()
    } catch {
      isBroken = true
      throw Failure(writing: path, error)
    }
  }
}
