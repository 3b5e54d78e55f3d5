import Engine
import Judging
import Platform
import Sketches
import Synchronization
import SystemPackage
import Traces

/// Where every output of a command goes: what an output can replace, and what it never does.
///
/// - A file that the command also reads is not replaced, whatever its name, except by `--update`.
/// - A file that is not empty is replaced only if the program wrote it, or with `--force`. A trace
///   can be the only record of a session, so without `--force` only another trace replaces it.
/// - Nothing is truncated. An output that is made at once is written next to its target and
///   renamed (`OutputFile`); one that grows is created, or renamed over the earlier file with its
///   first line (`RecordingFile`).
/// - Pipes, FIFOs and devices are written as they are, and so are descriptors that the program was
///   started with, such as `/dev/stdout`.
package enum Outputs {
  private struct Rules {
    var isForced = false
    /// The files that are written at the end or all the time; nil if they are not kept.
    var claimed: Set<Place>?
  }

  private static let rules = Mutex(Rules())

  enum Target {
    case standardOutput
    /// A descriptor that the program was started with.
    case descriptor(CInt)
    /// A device, a FIFO, or another process's pipe.
    case special(String)
    /// A regular file, after all links; nil if it does not exist yet.
    case file(String, Earlier?)

    /// The file that a new one replaces; nil if there is none, or if it is written in place.
    var replaced: (name: String, earlier: Earlier)? {
      guard case .file(let name, let earlier?) = self, !earlier.isBlank else { return nil }
      return (name, earlier)
    }

    /// Opens what is there as it is, to write at its end.
    func open() throws(Errno) -> FileDescriptor {
      switch self {
      case .standardOutput: return try FileDescriptor.standardOutput.closeOnExecDuplicate()
      case .descriptor(let number):
        return try FileDescriptor(rawValue: number).closeOnExecDuplicate()
      case .special(let name), .file(let name, _):
        do {
          return try FileDescriptor.open(name, .writeOnly, options: [.append, .closeOnExec])
        } catch {
          throw Errno.of(error)
        }
      }
    }
  }

  struct Earlier {
    let status: stat

    var identity: FileIdentity { FileIdentity(status) }
    var permissions: FilePermissions {
      FilePermissions(rawValue: CInterop.Mode(status.st_mode & 0o777))
    }

    /// Whether it can be written in place: it is empty, as `mktemp` makes it, and this user's own.
    /// That of another user could be read by that user.
    var isBlank: Bool { status.st_size == 0 && status.st_uid == geteuid() }
  }

  /// A file, or a name in a folder that no file has yet.
  private enum Place: Hashable {
    case file(FileIdentity)
    case name(String, in: FileIdentity)
  }

  /// What the program has written, judged by its first bytes.
  enum Content: Hashable {
    case trace
    /// Anything that can be made again.
    case other
  }

  // MARK: A command's files

  /// Begins the only command of this program: from now on, the files that it reads are kept, and
  /// those that it writes must differ.
  package static func begin() {
    OpenedFiles.keep()
    rules.withLock { $0.claimed = [] }
  }

  /// Lets outputs replace files that the program did not write.
  package static func force() { rules.withLock { $0.isForced = true } }

  /// Keeps files from being replaced that are read later, such as the traces that a rule names.
  /// Throws `.usage` if standard output is one of them.
  package static func spare(_ inputs: [String]) throws(Failure) {
    for path in inputs where !OpenedFiles.insert(FileIdentity(regular: path)) {
      throw Failure(.usage, "\(path): error: is also standard output; write to another file")
    }
  }

  // MARK: One output

  /// Returns where an output goes that is written later or all the time, after all checks. No
  /// other output may go there.
  static func claim(_ path: String, as content: Content) throws(Failure) -> Target {
    let target = try target(path, as: content)
    if let place = place(of: target) { rules.withLock { _ = $0.claimed?.insert(place) } }
    return target
  }

  /// Returns where an output goes, after all checks. `isUpdate` is whether it may replace an input,
  /// and `isClaimed` whether it is the one that has claimed its place.
  static func target(
    _ path: String, as content: Content, isUpdate: Bool = false, isClaimed: Bool = false
  ) throws(Failure) -> Target {
    let target: Target
    do throws(Errno) {
      target = try find(path)
    } catch {
      throw Failure(writing: path, error)
    }
    if !isUpdate, let identity = identity(of: target), OpenedFiles.contains(identity) {
      throw Failure(
        .usage, "\(path): error: is also an input of this command; choose another name")
    }
    if !isClaimed, isTaken(target) {
      throw Failure(
        .usage, "\(path): error: two outputs are the same file; give each a file of its own")
    }
    if case .special(let name) = target, !isForced {
      var status = stat()
      if stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFBLK {
        throw Failure(
          .usage, "\(path): error: is a disk; give --force to write over what it contains")
      }
    } else if case .file(let name, let earlier?) = target, !isForced {
      try refuseForeign(name, earlier, as: content, calledBy: path)
    }
    return target
  }

  /// The identity of a regular file; nil for anything else.
  private static func identity(of target: Target) -> FileIdentity? {
    switch target {
    case .standardOutput: FileIdentity(.standardOutput)
    case .descriptor(let number): FileIdentity(FileDescriptor(rawValue: number))
    case .special: nil
    case .file(_, let earlier): earlier?.identity
    }
  }

  private static func place(of target: Target) -> Place? {
    guard case .file(let name, let earlier) = target else { return nil }
    if let earlier { return .file(earlier.identity) }
    let path = FilePath(name)
    let folder = path.removingLastComponent().string
    return FileIdentity(folder.isEmpty ? "." : folder).map {
      .name(path.lastComponent?.string ?? "", in: $0)
    }
  }

  /// Whether another output goes there, such as the messages.
  private static func isTaken(_ target: Target) -> Bool {
    guard let place = place(of: target) else { return false }
    return rules.withLock { rules in
      guard let claimed = rules.claimed else { return false }
      let standard = [FileDescriptor.standardOutput, .standardError].compactMap { FileIdentity($0) }
      return claimed.contains(place) || standard.contains { place == .file($0) }
    }
  }

  private static var isForced: Bool { rules.withLock { $0.isForced } }

  private static func refuseForeign(
    _ name: String, _ earlier: Earlier, as content: Content, calledBy path: String
  ) throws(Failure) {
    // Renaming would replace a file that its owner has made read-only.
    if access(name, W_OK) != 0 { throw Failure(writing: path, Errno(rawValue: errno)) }
    guard earlier.status.st_size > 0 else { return }
    let advice = "choose another name or use --force"
    switch Self.content(ofFile: name) {
    case .trace where content == .trace, .other: return
    case .trace:
      throw Failure(
        .usage,
        "\(path): error: is a trace, which only another trace replaces; \(advice)")
    case nil:
      throw Failure(
        .usage, "\(path): error: exists, and sentrybench did not write it; \(advice)")
    }
  }

  /// Whether a file that the program itself names, such as an old part of a recording, can be
  /// renamed over or removed: a trace that is no input, or nothing.
  static func isReplaceable(_ name: String) -> Bool {
    var status = stat()
    guard lstat(name, &status) == 0 else { return errno == ENOENT }
    guard status.st_mode & S_IFMT == S_IFREG, !OpenedFiles.contains(FileIdentity(status)) else {
      return false
    }
    return status.st_size == 0 || isForced || content(ofFile: name) == .trace
  }

  /// How many bytes of a file are examined.
  private static let headMax = 4_096

  static func content(ofFile name: String) -> Content? {
    guard
      let file = try? FileDescriptor.open(
        name, .readOnly, options: [.nonBlocking, .noFollow, .closeOnExec])
    else { return nil }
    defer { try? file.close() }
    let head = try? [UInt8](unsafeUninitializedCapacity: headMax) { buffer, count in
      count = try file.read(
        fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
    }
    return content(of: head ?? [])
  }

  /// Recognizes what the program writes by its first bytes; nil for anything else.
  static func content(of head: [UInt8]) -> Content? {
    func begins(_ text: String) -> Bool { head.starts(with: text.utf8) }
    func contains(_ text: String, in bytes: some Collection<UInt8>) -> Bool {
      let part = Array(text.utf8)
      let bytes = Array(bytes)
      return bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
    let first = head.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    if first == UInt8(ascii: "{") {
      // A header can be edited, so its keys have any order.
      let line = head.drop { $0 != UInt8(ascii: "{") }.prefix { $0 != 0x0A }
      if contains("\"\(Header.format)\"", in: line) { return .trace }
      if contains("\"format\": \"sentry-state\"", in: line) { return .other }
      return (try? Timing(text: head, path: "")) == nil ? nil : .other
    }
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
    let sigrok: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0]
    let isOther =
      begins("<!DOCTYPE html>")
      && contains("<meta name=\"generator\" content=\"sentrybench ", in: head)
      || begins(svg)
        && contains("role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">", in: head)
      || begins("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"")
      || begins("$version SentryBench $end")
      || head.starts(with: sigrok) && contains("version2PK", in: head.prefix(64))
      || begins("; CSV generated by SentryBench")
      || begins("Time [s],RX,TX,SERVO,TONE\n")
      || begins("# A proposal: what ")
      // Unless it has been filled in.
      || begins(DistilledTest.scenarioStart)
        && contains("run: \(DistilledTest.placeholder)\n", in: head)
    return isOther ? .other : nil
  }

  // MARK: Finding the file

  /// Follows links to where an output goes, as the system does.
  static func find(_ path: String) throws(Errno) -> Target {
    if path == "-" { return .standardOutput }
    if let number = descriptorNumber(path) {
      return number == STDOUT_FILENO ? .standardOutput : .descriptor(number)
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      let cause = Errno(rawValue: errno)
      // A link that leads nowhere is somebody's mistake; creating what it names could be another.
      guard cause == .noSuchFileOrDirectory, !path.isEmpty, lstat(path, &status) != 0 else {
        throw cause
      }
      return .file(path, nil)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return .special(path) }
    guard let name = realpath(path, nil) else { throw Errno(rawValue: errno) }
    defer { free(name) }
    return .file(String(cString: name), Earlier(status: status))
  }

  /// The number in a name such as `/dev/stdout` or `/dev/fd/3`; nil for any other name. Opening
  /// such a name again would write at the beginning of the file, over what is there.
  static func descriptorNumber(_ name: String) -> CInt? {
    let plain = FilePath(name).lexicallyNormalized().string
    if let number = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].firstIndex(of: plain) {
      return CInt(number)
    }
    for folder in ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", "/proc/\(getpid())/fd/"]
    where plain.hasPrefix(folder) {
      return CInt(plain.dropFirst(folder.count))
    }
    return nil
  }
}

enum NewFile {
  /// Creates a file for writing. Fails if something is there, be it a link that leads nowhere.
  static func create(
    _ name: String, permissions: FilePermissions, options: FileDescriptor.OpenOptions = []
  ) throws(Errno) -> FileDescriptor {
    do {
      return try FileDescriptor.open(
        name, .writeOnly,
        options: options.union([.create, .exclusiveCreate, .noFollow, .closeOnExec]),
        permissions: permissions)
    } catch {
      throw Errno.of(error)
    }
  }

  /// How many random digits a draft's name has: as many as 64 bits take in base 36.
  private static let randomCount = 13
  private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

  /// Returns a name next to a file that no other program can predict.
  static func name(besides target: String) -> String {
    let (folder, stem) = parts(of: target)
    let random = String(UInt64.random(in: .min ... .max), radix: 36, digits: randomCount)
    return "\(folder)\(stem)\(random).part"
  }

  /// The folder of a target, with its slash, and the beginning of its drafts' names.
  private static func parts(of target: String) -> (folder: Substring, stem: String) {
    let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    // A file's name has at most 255 bytes.
    return (
      target[..<slash], String(decoding: target[slash...].utf8.prefix(200), as: UTF8.self) + "."
    )
  }

  /// Locks a new draft until it is closed. Returns false if another process has taken it for one
  /// that was left.
  static func lock(_ draft: FileDescriptor) -> Bool {
    if flock(draft.rawValue, LOCK_EX | LOCK_NB) != 0 { return errno != EWOULDBLOCK }
    var status = stat()
    return fstat(draft.rawValue, &status) != 0 || status.st_nlink > 0
  }

  /// Removes the drafts of a target that killed processes have left: this user's files with such a
  /// name that no process has locked, and that are empty or begin as what the program writes.
  static func removeLeftovers(besides target: String) {
    let (folder, stem) = parts(of: target)
    for name in (try? PrivateFolder.names(in: folder.isEmpty ? "." : String(folder))) ?? []
    where name.hasPrefix(stem) && name.hasSuffix(".part") {
      let random = name.utf8.dropFirst(stem.utf8.count).dropLast(".part".utf8.count)
      let path = String(folder) + name
      guard random.count == randomCount, random.allSatisfy(digits.contains),
        let draft = try? FileDescriptor.open(
          path, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec])
      else { continue }
      defer { try? draft.close() }
      var status = stat()
      if fstat(draft.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_uid == geteuid(), flock(draft.rawValue, LOCK_EX | LOCK_NB) == 0,
        status.st_size == 0 || Outputs.content(ofFile: path) != nil
      {
        unlink(path)
      }
    }
  }

  /// Gives a new file what the file that it replaces has: its permissions and, if possible, its
  /// owner.
  static func adopt(_ earlier: Outputs.Earlier, _ descriptor: FileDescriptor) throws(Errno) {
    // Not every user can give a file away.
    _ = fchown(descriptor.rawValue, earlier.status.st_uid, earlier.status.st_gid)
    // Opening applies the umask, which the earlier file's permissions may exceed.
    guard fchmod(descriptor.rawValue, CInterop.Mode(earlier.permissions.rawValue)) == 0 else {
      throw Errno(rawValue: errno)
    }
  }
}
