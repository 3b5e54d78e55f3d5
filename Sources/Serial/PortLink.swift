import Platform
import Synchronization
import SystemPackage

/// The stable name of a pty: a symbolic link that exists as long as the bench runs.
///
/// On Linux the link points through `/proc/PID/`, so it becomes invalid as soon as the bench ends,
/// for whatever reason, and can never point to another program's terminal that has since received
/// the same number.
package struct PortLink: ~Copyable, Sendable {
  package let path: String
  private var target: String
  /// The folder that was created for the link and is removed with it; nil if there is none.
  private let folder: PrivateFolder?
  /// The paths of that folder and its marker.
  private let places: (folder: String, marker: String)?
  /// Why the link is not at the default path, as a sentence with both paths; nil if it is, or if
  /// another path was asked for.
  package private(set) var evasion: String?

  /// The path for programs in other folders.
  package var absolutePath: String { WorkingFolder.absolute(path) }

  /// The links that this process has created.
  private static let made = Mutex<Set<String>>([])

  private static let defaultName = "ttySentry"
  /// How many benches can have a default link at once.
  private static let defaultCount = 99

  /// `ttySentry` in the user's runtime folder, or else in the temporary folder.
  package static var defaultPath: String { "\(defaultFolder)/\(defaultName)" }

  /// The user's runtime folder, or else the temporary folder.
  private static var defaultFolder: String {
    for name in ["XDG_RUNTIME_DIR", "TMPDIR"] {
      guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty,
        access(value, W_OK) == 0
      else { continue }
      return value.hasSuffix("/") && value.count > 1 ? String(value.dropLast()) : value
    }
    return "/tmp"
  }

  /// Creates a link to a pty in a new folder that no other bench uses and only this user can enter.
  package static func makePrivate(to pty: String) throws(SerialError) -> PortLink {
    let folder: PrivateFolder
    do throws(Errno) {
      folder = try PrivateFolder(in: defaultFolder)
    } catch {
      throw SerialError(
        .unavailable, path: defaultFolder, cause: error,
        "a folder for the link to the pty cannot be created; choose a path with --pty")
    }
    return try make(at: "\(folder.path)/\(defaultName)", to: pty, in: folder)
  }

  /// Creates a link at `path` to a pty. Replaces an existing one only if it was left by a bench
  /// that has ended.
  package static func make(at path: String, to pty: String) throws(SerialError) -> PortLink {
    try make(at: path, to: pty, in: nil)
  }

  /// Creates a link at the default path, or at the next of `ttySentry2`, `ttySentry3` and so on
  /// that no running bench has. Anything else that is at one of them is an error.
  package static func makeDefault(to pty: String) throws(SerialError) -> PortLink {
    try make(atOrAfter: defaultPath, to: pty)
  }

  static func make(atOrAfter path: String, to pty: String) throws(SerialError) -> PortLink {
    var owner: Int?
    for number in 1...defaultCount {
      let next = number == 1 ? path : "\(path)\(number)"
      do throws(SerialError) {
        var link = try make(at: next, to: pty)
        if let owner {
          link.evasion =
            "\(path) belongs to another bench, process \(owner); this bench's port is \(next)"
        }
        return link
      } catch {
        guard let running = benchAt(next) else { throw error }
        if number == 1 { owner = running }
      }
    }
    throw SerialError(
      .unavailable, path: path,
      "\(defaultCount) benches have this name and those after it; choose another path with --pty")
  }

  /// The process number of the running bench whose link is at a path; nil if there is none.
  private static func benchAt(_ path: String) -> Int? {
    guard let target = targetOfLink(at: path), let owner = ownerOfLivingPath(target),
      access(target, F_OK) == 0, !isMistaken(owner, path)
    else { return nil }
    return owner
  }

  /// Whether a link has this process's number although this process did not create it, so that it
  /// is from another process, for example in a container.
  private static func isMistaken(_ owner: Int?, _ path: String) -> Bool {
    owner == Int(getpid()) && !made.withLock { $0.contains(path) }
  }

  private static func make(
    at path: String, to pty: String, in folder: consuming PrivateFolder?
  ) throws(SerialError) -> PortLink {
    let target = livingPath(pty)
    var places: (folder: String, marker: String)?
    if let made = folder.take() {
      places = (made.path, made.marker)
      folder = consume made
    }
    // Tries twice, because a leftover link is removed in between.
    for _ in 0..<2 {
      if symlink(target, path) == 0 {
        made.withLock { _ = $0.insert(path) }
        return PortLink(path: path, target: target, folder: folder.take(), places: places)
      }
      guard errno == EEXIST else {
        throw SerialError(
          .unavailable, path: path, cause: Errno(rawValue: errno),
          "the link to the pty cannot be created; choose another path with --pty")
      }
      try removeLeftover(at: path)
    }
    throw SerialError(.unavailable, path: path, "another bench has just created this link")
  }

  /// Makes the link lead to another pty. It exists at every moment. Throws if another program has
  /// removed or replaced it.
  package mutating func lead(to pty: String) throws(SerialError) {
    let next = Self.livingPath(pty)
    // Not a name that another user can predict.
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    guard Self.targetOfLink(at: path) == target else {
      throw SerialError(.unavailable, path: path, "is no longer the link to the pty")
    }
    guard symlink(next, temporary) == 0, rename(temporary, path) == 0 else {
      let cause = Errno(rawValue: errno)
      if Self.targetOfLink(at: temporary) == next { unlink(temporary) }
      throw SerialError(
        .unavailable, path: path, cause: cause, "the link cannot be led to another pty")
    }
    target = next
  }

  deinit {
    Self.made.withLock { _ = $0.remove(path) }
    if Self.targetOfLink(at: path) == target { unlink(path) }
  }

  /// What a signal handler needs to remove the link. Created before any handler is installed.
  package struct Removal {
    private let path: UnsafeMutablePointer<CChar>
    private let target: UnsafeMutablePointer<CChar>
    private let folder: UnsafeMutablePointer<CChar>?
    private let marker: UnsafeMutablePointer<CChar>?
    private let buffer: UnsafeMutablePointer<CChar>

    init(path: String, target: String, folder: String?, marker: String?) {
      self.path = strdup(path)
      self.target = strdup(target)
      self.folder = folder.map { strdup($0) }
      self.marker = marker.map { strdup($0) }
      buffer = .allocate(capacity: target.utf8.count + 1)
    }

    /// Removes the link unless something else is there now. Safe in a signal handler.
    package func carryOut() {
      let length = strlen(target)
      guard readlink(path, buffer, length + 1) == length, memcmp(buffer, target, length) == 0 else {
        return
      }
      unlink(path)
      if let marker { unlink(marker) }
      if let folder { rmdir(folder) }
    }
  }

  package var removal: Removal {
    Removal(path: path, target: target, folder: places?.folder, marker: places?.marker)
  }

  private static func removeLeftover(at path: String) throws(SerialError) {
    func taken(_ why: String) -> SerialError {
      SerialError(.unavailable, path: path, "\(why); choose another path with --pty")
    }
    guard let target = targetOfLink(at: path) else {
      throw taken("already exists and is not a link to a pty")
    }
    let owner = ownerOfLivingPath(target)
    guard owner != nil || target.hasPrefix("/dev/pts/") || target.hasPrefix("/dev/ttys") else {
      throw taken("already exists and leads to \(target)")
    }
    guard isMistaken(owner, path) || access(target, F_OK) != 0 else {
      throw taken(
        owner.map { "another bench is running there, process \($0)" }
          ?? "already exists and leads to \(target), which is in use")
    }
    unlink(path)
  }

  private static func targetOfLink(at path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count - 1)
    guard count >= 0 else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// A path to the pty that is valid only while this process lives, if the system supports that.
  private static func livingPath(_ pty: String) -> String {
    let through = "/proc/\(getpid())/../.."
    return access(through + pty, F_OK) == 0 ? through + pty : pty
  }

  /// The number of the process in a path from `livingPath`; nil for any other path.
  private static func ownerOfLivingPath(_ target: String) -> Int? {
    let parts = target.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 4, parts[1] == "proc", parts[3] == "..", parts[4] == ".." else {
      return nil
    }
    return Int(parts[2])
  }
}
