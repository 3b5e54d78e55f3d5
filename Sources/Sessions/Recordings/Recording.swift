import SystemPackage

/// A trace that is written as it happens. Every whole line is in the file at once, so however the
/// bench ends, the recording is complete up to its last line.
struct Recording: ~Copyable {
  let path: String
  private var file: RecordingFile
  private(set) var isBroken = false

  private var hasBegun = false

  /// Opens and locks the file. Its content stays until the first line is written.
  init(_ path: String) throws(Failure) {
    self.path = path
    file = try Self.claim(path, permissions: .init(rawValue: 0o644))
  }

  /// `permissions` are those of a newly created file.
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

  /// Writes whole lines. If that fails, the earlier content is kept and nothing more is written.
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

  /// Ends the recording. A full disk may be reported only now.
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
