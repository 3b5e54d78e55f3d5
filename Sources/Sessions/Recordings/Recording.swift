import Engine
import Platform
import SystemPackage

/// A trace that is written as it happens. Every whole line is in the file at once, so however the
/// bench ends, the recording is complete up to its last line.
///
/// An earlier recording of that name stays until the first line of the new one is in a file of its
/// own, which is then renamed. So a full disk or a session that does not begin leaves it.
///
/// The recording of a command that may fail is written next to its target, and renamed to it at the
/// end. So a good recording is never replaced by that of a session that failed, however it ended.
struct Recording: ~Copyable {
  /// The permissions of a new recording that others may read.
  static let permissions = FilePermissions(rawValue: 0o644)
  /// Those of one that contains what clients of a network send.
  static let privatePermissions = FilePermissions(rawValue: 0o600)

  /// The file that is written.
  let path: String
  /// The file that it becomes; nil if that is the one that is written.
  let target: String?
  /// The file that is written or, until the first line, the earlier one that stays.
  private var file: RecordingFile
  /// The name and the earlier file that the first line replaces; nil if there is none.
  private let replaced: (name: String, earlier: Outputs.Earlier)?
  /// Keeps another bench from writing the target meanwhile; nil if there is none.
  private var targetFile: RecordingFile?
  private(set) var isBroken = false

  private var hasBegun = false

  /// Opens and locks the file. `permissions` are those of a newly created one.
  init(
    _ path: String, permissions: FilePermissions = Recording.permissions
  ) throws(Failure) {
    let found = try Outputs.claim(path, as: .trace)
    let file = try RecordingFile.open(found, calledBy: path, permissions)
    self.init(path, nil, file, replacing: found.replaced, nil)
  }

  /// Opens and locks the file in which the recording of a command begins. An existing recording at
  /// `path` stays until `publish`. A device or a FIFO at `path` is written directly.
  init(
    ofCommand path: String, permissions: FilePermissions = Recording.permissions
  ) throws(Failure) {
    let found = try Outputs.claim(path, as: .trace)
    guard case .file(let target, let earlier) = found else {
      let file = try RecordingFile.open(found, calledBy: path, permissions)
      self.init(path, nil, file, replacing: nil, nil)
      return
    }
    let failed = Self.failedName(target)
    // Another user can predict this name, so no link there is followed.
    var status = stat()
    if lstat(failed, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw Failure(
        .inputOutput,
        "\(failed): error: cannot be written: expected a file, or nothing, found something else")
    }
    let draft = try Outputs.claim(failed, as: .trace)
    let targetFile: RecordingFile? =
      earlier == nil ? nil : try RecordingFile.open(found, calledBy: path, permissions)
    let file = try RecordingFile.open(
      draft, calledBy: failed, earlier?.permissions ?? permissions)
    self.init(failed, target, file, replacing: draft.replaced, targetFile)
  }

  /// Returns the name of the recording of a command that failed: `aim.failed.jsonl` for
  /// `aim.jsonl`.
  static func failedName(_ path: String) -> String {
    let suffix = ".jsonl"
    return (path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path) + ".failed"
      + suffix
  }

  init(
    _ path: String, _ target: String?, _ file: consuming RecordingFile,
    replacing replaced: (name: String, earlier: Outputs.Earlier)?,
    _ targetFile: consuming RecordingFile?
  ) {
    self.path = path
    self.target = target
    self.file = file
    self.replaced = replaced
    self.targetFile = targetFile
  }

  /// Writes whole lines. If that fails, the earlier content is kept and nothing more is written.
  mutating func write(_ lines: [UInt8]) throws(Failure) {
    guard !isBroken, !lines.isEmpty else { return }
    do throws(Errno) {
      if !hasBegun, let (name, earlier) = replaced {
        // Until then, the lock of the earlier file keeps other benches away from this name.
        file = try RecordingFile.create(
          besides: name, permissions: earlier.permissions, lines
        ) { (draft, descriptor) throws(Errno) in
          try NewFile.adopt(earlier, descriptor)
          if rename(draft, name) != 0 { throw Errno(rawValue: errno) }
        }
      } else {
        try file.append(lines)
      }
      hasBegun = true
    } catch {
      isBroken = true
      throw Failure(writing: path, error)
    }
  }

  /// Renames a complete recording to its target. One that could not be written stays where it is.
  func publish() throws(Failure) {
    guard let target, hasBegun, !isBroken else { return }
    // Something else can have been put there meanwhile.
    _ = try Outputs.target(target, as: .trace, isClaimed: true)
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

/// A file that is locked for a recording and written in whole lines. However the bench ends, its
/// content is complete up to the last line.
struct RecordingFile: ~Copyable {
  let descriptor: FileDescriptor
  private let system: any SystemCalls
  /// Whether it can be truncated and renamed; false for a device or a FIFO.
  let isRegular: Bool
  /// The end of the last whole line, in bytes.
  private(set) var length: Int64

  /// Opens and locks what is there, or creates a file with these permissions. `path` is used in
  /// messages.
  static func open(
    _ target: Outputs.Target, calledBy path: String, _ permissions: FilePermissions
  ) throws(Failure) -> RecordingFile {
    do throws(Errno) {
      guard case .file(let name, let earlier) = target else {
        return RecordingFile(try target.open(), isRegular: false)
      }
      NewFile.removeLeftovers(besides: name)
      return earlier == nil
        ? try RecordingFile(creating: name, permissions: permissions)
        : try RecordingFile(claiming: name)
    } catch {
      guard error == .wouldBlock else { throw Failure(writing: path, error) }
      throw Failure(.inputOutput, "\(path): error: another bench is recording to this file")
    }
  }

  /// Creates a file with its first lines under another name next to its own, which `place` then
  /// gives it.
  static func create(
    besides name: String, permissions: FilePermissions, _ lines: [UInt8],
    place: (_ draft: String, FileDescriptor) throws(Errno) -> Void
  ) throws(Errno) -> RecordingFile {
    let draft = NewFile.name(besides: name)
    var file = try RecordingFile(creating: draft, permissions: permissions)
    do throws(Errno) {
      try file.append(lines)
      try place(draft, file.descriptor)
    } catch {
      unlink(draft)
      throw error
    }
    return file
  }

  /// Opens and locks a file that exists, whose content stays. Throws `wouldBlock` if another bench
  /// has locked it.
  init(claiming path: String) throws(Errno) {
    do {
      try self.init(
        locking: .open(path, .writeOnly, options: [.append, .noFollow, .closeOnExec]))
    } catch {
      throw Errno.of(error)
    }
  }

  /// Whether another bench has locked what is there.
  static func isClaimed(_ path: String) -> Bool {
    let options: FileDescriptor.OpenOptions = [.nonBlocking, .closeOnExec]
    guard let opened = try? FileDescriptor.open(path, .readOnly, options: options) else {
      return false
    }
    defer { try? opened.close() }
    return flock(opened.rawValue, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Creates and locks a file. Fails if something is there.
  init(creating path: String, permissions: FilePermissions) throws(Errno) {
    try self.init(locking: NewFile.create(path, permissions: permissions, options: .append))
  }

  private init(locking opened: FileDescriptor) throws(Errno) {
    let status = try? opened.stat()
    // A device or a FIFO can have any number of writers.
    let isRegular = status?.type == .regular
    if isRegular, flock(opened.rawValue, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      try? opened.close()
      throw .wouldBlock
    }
    self.init(opened, isRegular: isRegular, length: isRegular ? Int64(status?.size ?? 0) : 0)
  }

  /// Takes over an open descriptor of a system.
  init(
    _ opened: FileDescriptor, on system: any SystemCalls = HostSystem.shared,
    isRegular: Bool = true, length: Int64 = 0
  ) {
    self.system = system
    descriptor = opened
    self.isRegular = isRegular
    self.length = length
  }

  deinit {
    // Closing alone would leave the lock with a child process that is just being started.
    if isRegular { _ = flock(descriptor.rawValue, LOCK_UN) }
    system.close(descriptor.rawValue)
  }

  /// Writes whole lines. If that fails, the earlier content is kept.
  mutating func append(_ lines: [UInt8]) throws(Errno) {
    do throws(Errno) {
      try system.writeAll(descriptor.rawValue, lines)
      length += Int64(lines.count)
    } catch {
      // Part of a line may have been written. Only a recording's own file is cut.
      if isRegular { system.truncate(descriptor.rawValue, to: length) }
      throw error
    }
  }

  /// Flushes the file to the disk. A full disk may be reported only now.
  func synchronize() throws(Errno) {
    do throws(Errno) {
      try system.synchronize(descriptor.rawValue)
    } catch {
      guard [.invalidArgument, .readOnlyFileSystem].contains(error) else { throw error }
    }
  }
}

/// A recording that was opened before its session exists.
final class LiveRecording {
  private var plain: Recording?
  private var rotating: RotatingRecording?

  /// `rotation` limits the recording's size; nil for one file, which replaces an earlier one. With
  /// `isOfCommand`, it replaces that only if the command after `--` does not fail. `isPrivate` is
  /// whether a new file is readable by its owner only, because it contains what clients send.
  init(
    _ path: String, _ rotation: RotationPolicy?, isOfCommand: Bool, isPrivate: Bool
  ) throws(Failure) {
    if let rotation {
      rotating = try RotatingRecording(path, rotation)
    } else {
      let permissions = isPrivate ? Recording.privatePermissions : Recording.permissions
      plain =
        isOfCommand
        ? try Recording(ofCommand: path, permissions: permissions)
        : try Recording(path, permissions: permissions)
    }
  }

  /// Transfers the single-file recording to the caller, once.
  func takePlain() -> Recording? { plain.take() }
  func takeRotating() -> RotatingRecording? { rotating.take() }
}
