import Platform
import SystemPackage

/// A trace that is written as it happens. Every whole line is in the file at once, so however the
/// bench ends, the recording is complete up to its last line.
///
/// The recording of a command that may fail is written next to its target, and renamed to it at the
/// end. So a good recording is never replaced by that of a session that failed, however it ended.
struct Recording: ~Copyable {
  /// The file that is written.
  let path: String
  /// The file that it becomes; nil if that is the one that is written.
  let target: String?
  private var file: RecordingFile
  /// Keeps another bench from writing the target meanwhile; nil if there is none.
  private var targetFile: RecordingFile?
  private(set) var isBroken = false

  private var hasBegun = false

  /// Opens and locks the file. Its content stays until the first line is written.
  init(_ path: String) throws(Failure) {
    self.path = path
    target = nil
    targetFile = nil
    file = try Self.claim(path, permissions: .init(rawValue: 0o644))
  }

  /// Opens and locks the file in which the recording of a command begins. An existing recording at
  /// `path` stays until `publish`. A device or a FIFO at `path` is written directly.
  init(ofCommand path: String) throws(Failure) {
    let real = OutputFile.resolved(path)
    let status = try? FilePath(real).stat()
    let permissions = status?.permissions ?? .init(rawValue: 0o644)
    if let status, status.type != .regular {
      self.path = path
      target = nil
      targetFile = nil
    } else {
      self.path = Self.failedPath(real)
      target = real
      targetFile = status == nil ? nil : try Self.claim(real, permissions: permissions)
    }
    file = try Self.claim(self.path, permissions: permissions)
  }

  /// The recording of a command that failed: `aim.failed.jsonl` for `aim.jsonl`.
  static func failedPath(_ path: String) -> String {
    let suffix = ".jsonl"
    return (path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path) + ".failed"
      + suffix
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

  /// Renames a complete recording to its target. One that could not be written stays where it is.
  func publish() throws(Failure) {
    guard let target, hasBegun, !isBroken else { return }
    if rename(path, target) != 0 { throw Failure(writing: target, Errno(rawValue: errno)) }
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
