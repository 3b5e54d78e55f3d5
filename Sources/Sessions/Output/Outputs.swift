import Engine
import Judging
import Platform
import Sketches
import Synchronization
import SystemPackage
import Traces

/// The files that a command line names.
package struct NamedFiles: Hashable, Sendable {
  /// A file that is read, or a folder whose files with one of the endings are.
  package struct Input: Hashable, Sendable {
    package var path: String
    package var endings: [String]
    /// Whether folders whose name begins with a full stop are left out.
    package var skipsHidden: Bool

    package init(_ path: String, endings: [String] = [".jsonl"], skipsHidden: Bool = false) {
      self.path = path
      self.endings = endings
      self.skipsHidden = skipsHidden
    }
  }

  /// A file that is written, with the option that names it.
  package struct Output: Hashable, Sendable {
    package var path: String
    package var option: String

    package init(_ path: String, option: String) {
      self.path = path
      self.option = option
    }
  }

  package private(set) var inputs: [Input] = []
  package private(set) var outputs: [Output] = []
  /// Whether files that the program did not write can be replaced.
  package var isForced = false

  package init() {}

  package mutating func read(_ paths: String?...) {
    inputs += paths.compactMap { $0.map { Input($0) } }
  }

  package mutating func read(_ input: Input) { inputs.append(input) }

  package mutating func write(_ path: String?, _ option: String) {
    if let path { outputs.append(Output(path, option: option)) }
  }
}

/// Where every output of a command goes: what an output can replace, and what it never does.
///
/// - A file that the command also reads is not replaced, whatever its name, except by `--update`.
/// - A file that is not empty is replaced only if the program wrote it, or with `--force`. A trace
///   can be the only record of a session, so without `--force` only another trace replaces it.
/// - Nothing is truncated. An output that is made at once is written next to its target and
///   renamed (`OutputFile`); one that grows is created, or renamed over the earlier file with its
///   first line (`RecordingFile`). What another user has put into a folder that all can write to,
///   such as `/tmp`, is not used.
/// - Pipes, FIFOs and devices are written as they are, and so are descriptors that the program was
///   started with, such as `/dev/stdout`.
package enum Outputs {
  private struct Rules {
    var isForced = false
    var outputs: [NamedFiles.Output] = []
  }

  private static let rules = Mutex(Rules())

  /// Whether the same file, or nothing, is there.
  enum Target {
    case standardOutput
    /// A descriptor that the program was started with.
    case descriptor(CInt)
    /// A device, a FIFO, or another process's descriptor.
    case special(String)
    /// A regular file, after all links; nil if it does not exist yet.
    case file(String, Earlier?)
  }

  /// A regular file that exists.
  struct Earlier {
    var identity: FileIdentity
    var size: Int64
    var permissions: FilePermissions
    var owner: uid_t
    var group: gid_t

    init(_ status: stat) {
      identity = FileIdentity(status)
      size = Int64(status.st_size)
      permissions = FilePermissions(rawValue: CInterop.Mode(status.st_mode & 0o777))
      owner = status.st_uid
      group = status.st_gid
    }

    /// Whether it can be written in place: it is empty, as `mktemp` makes it, and this user's own.
    /// That of another user could be read by that user.
    var isBlank: Bool { size == 0 && owner == geteuid() }
  }

  /// What the program has written, judged by its first bytes.
  enum Content: Hashable {
    case trace
    /// Anything that can be made again.
    case other
  }

  // MARK: A command's files

  /// Checks all files of a command, before any of them is opened. Throws `.usage` if an output is
  /// also an input, or if two outputs are the same file.
  package static func begin(_ files: NamedFiles) throws(Failure) {
    OpenedFiles.keep()
    rules.withLock { $0 = Rules(isForced: files.isForced, outputs: files.outputs) }
    try refuseInputs(files.inputs)
    var seen: [(output: NamedFiles.Output, target: Target)] = []
    for output in files.outputs {
      let target = try found(output.path)
      var others = seen.filter { isSame(target, $0.target) }.map(\.output.option)
      if case .file(_, let earlier?) = target {
        for (name, descriptor) in [
          ("standard output", FileDescriptor.standardOutput), ("standard error", .standardError),
        ] where regular(descriptor) == earlier.identity {
          others.append(name)
        }
      }
      if let other = others.first {
        throw Failure(
          .usage,
          "error: \(other) and \(output.option) are the same file, \(output.path); "
            + "give each a file of its own")
      }
      seen.append((output, target))
    }
  }

  /// Adds files that the command reads, such as the traces that a rule names. Throws `.usage` if
  /// one of the outputs would replace them.
  package static func refuseInputs(_ inputs: [NamedFiles.Input]) throws(Failure) {
    var written: [(output: NamedFiles.Output, file: FileIdentity)] = []
    for output in rules.withLock({ $0.outputs }) where output.path != "-" {
      if let file = identity(of: try found(output.path)) { written.append((output, file)) }
    }
    let own = regular(.standardOutput)
    // A large folder is searched only if there is something to find. Files that are not found here
    // are known once they are opened.
    let isSearched = !written.isEmpty || own != nil
    for input in inputs where isSearched || input.endings.isEmpty {
      for file in files(of: input) {
        guard let identity = file.identity else { continue }
        OpenedFiles.insert(identity)
        if let same = written.first(where: { $0.file == identity }) {
          throw Failure(.usage, isInput(same.output.path, file.path, same.output.option))
        }
        if identity == own {
          throw Failure(
            .usage,
            "error: standard output is also the input\(file.path == "-" ? "" : " \(file.path)"); "
              + "write to another file")
        }
      }
    }
  }

  /// The regular files that an input stands for.
  private static func files(
    of input: NamedFiles.Input
  ) -> [(path: String, identity: FileIdentity?)] {
    if input.path == "-" { return [("-", regular(.standardInput))] }
    var status = stat()
    guard stat(input.path, &status) == 0 else { return [] }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return [(input.path, FileIdentity(status))]
    case S_IFDIR where !input.endings.isEmpty:
      return FoundFiles.find(
        input.path, endings: input.endings, skipsHidden: input.skipsHidden
      ).filter { $0.error == nil }.map { ($0.path, FileIdentity($0.path)) }
    default: return []
    }
  }

  private static func isInput(_ path: String, _ name: String, _ option: String) -> String {
    let same = path == name ? "" : name == "-" ? " on standard input" : " \(name)"
    return "\(path): error: \(option) would replace the input\(same); choose another name"
  }

  private static func isSame(_ one: Target, _ other: Target) -> Bool {
    if let one = identity(of: one), let other = identity(of: other) { return one == other }
    guard case .file(let one, nil) = one, case .file(let other, nil) = other else { return false }
    let (first, second) = (FilePath(one), FilePath(other))
    guard first.lastComponent == second.lastComponent else { return false }
    func folder(_ path: FilePath) -> FileIdentity? {
      let folder = path.removingLastComponent().string
      return FileIdentity(folder.isEmpty ? "." : folder)
    }
    return first == second || folder(first) != nil && folder(first) == folder(second)
  }

  /// The identity of a regular file; nil for anything else.
  private static func identity(of target: Target) -> FileIdentity? {
    switch target {
    case .standardOutput: return regular(.standardOutput)
    case .descriptor(let number): return regular(FileDescriptor(rawValue: number))
    case .special(let path):
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      return FileIdentity(status)
    case .file(_, let earlier): return earlier?.identity
    }
  }

  private static func regular(_ descriptor: FileDescriptor) -> FileIdentity? {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return FileIdentity(status)
  }

  // MARK: One output

  /// Returns where an output goes, after all checks. `isUpdate` is whether it may replace an input.
  static func target(
    _ path: String, as content: Content, isUpdate: Bool = false
  ) throws(Failure) -> Target {
    let target = try found(path)
    if !isUpdate, let identity = identity(of: target), OpenedFiles.contains(identity) {
      throw Failure(
        .usage, "\(path): error: is also an input of this command; choose another name")
    }
    switch target {
    case .standardOutput, .descriptor: break
    case .special(let name):
      var status = stat()
      if stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFBLK, !isForced {
        throw Failure(
          .usage, "\(path): error: is a disk; give --force to write over what it contains")
      }
    case .file(let name, let earlier?):
      try refuseForeign(name, earlier, as: content, calledBy: path)
    case .file(_, nil): break
    }
    return target
  }

  private static var isForced: Bool { rules.withLock { $0.isForced } }

  /// Throws if a file that exists must stay.
  private static func refuseForeign(
    _ name: String, _ earlier: Earlier, as content: Content, calledBy path: String
  ) throws(Failure) {
    guard !isForced else { return }
    // Renaming would replace a file that its owner has made read-only.
    if access(name, W_OK) != 0 { throw Failure(writing: path, Errno(rawValue: errno)) }
    guard earlier.size > 0 else { return }
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
    content(of: head(of: name) ?? [])
  }

  /// Returns the first bytes of a regular file; nil if it cannot be read.
  static func head(of name: String) -> [UInt8]? {
    guard
      let file = try? FileDescriptor.open(
        name, .readOnly, options: [.nonBlocking, .noFollow, .closeOnExec])
    else { return nil }
    defer { try? file.close() }
    return try? [UInt8](unsafeUninitializedCapacity: headMax) { buffer, count in
      count = try file.read(
        fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
    }
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

  private static func found(_ path: String) throws(Failure) -> Target {
    do throws(Errno) {
      return try find(path)
    } catch {
      throw Failure(writing: path, error)
    }
  }

  /// Follows links to where an output goes.
  static func find(_ path: String) throws(Errno) -> Target {
    if path == "-" { return .standardOutput }
    guard !path.isEmpty else { throw .noSuchFileOrDirectory }
    var name = path
    for _ in 0..<linksMax {
      if let number = descriptorNumber(name) {
        return number == STDOUT_FILENO ? .standardOutput : .descriptor(number)
      }
      var status = stat()
      guard lstat(name, &status) == 0 else {
        guard errno == ENOENT else { throw Errno(rawValue: errno) }
        return .file(name, nil)
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG:
        try refuseStranger(name, status)
        return .file(name, Earlier(status))
      case S_IFLNK:
        try refuseStranger(name, status)
        // What such a link names need not exist under this name.
        if isProcessDescriptor(name) { return .special(name) }
        name = try followed(name)
      case S_IFIFO:
        try refuseStranger(name, status)
        return .special(name)
      default: return .special(name)
      }
    }
    throw .tooManySymbolicLinkLevels
  }

  /// As many as Linux follows.
  private static let linksMax = 40

  private static func followed(_ link: String) throws(Errno) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes {
      readlink(link, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    guard count >= 0 else { throw Errno(rawValue: errno) }
    let target = FilePath(String(decoding: buffer[..<count], as: UTF8.self))
    return target.isAbsolute
      ? target.string : FilePath(link).removingLastComponent().pushing(target).string
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

  private static func isProcessDescriptor(_ name: String) -> Bool {
    let parts = FilePath(name).lexicallyNormalized().components.map(\.string)
    return name.hasPrefix("/") && parts.count >= 4 && parts[0] == "proc"
      && parts[parts.count - 2] == "fd"
  }

  /// Throws for what another user has put into a folder to which all can write. Linux protects the
  /// opening of such links, FIFOs and files in the same way (fs.protected_symlinks and others), but
  /// not renaming.
  private static func refuseStranger(_ name: String, _ status: stat) throws(Errno) {
    var folder = stat()
    let path = FilePath(name).removingLastComponent().string
    guard stat(path.isEmpty ? "." : path, &folder) == 0 else { throw Errno(rawValue: errno) }
    let isShared = folder.st_mode & S_ISVTX != 0 && folder.st_mode & S_IWOTH != 0
    guard isShared, status.st_uid != geteuid(), status.st_uid != folder.st_uid else { return }
    throw .permissionDenied
  }
}

/// A file that did not exist before.
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
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    let zeros = String(repeating: "0", count: randomCount - random.utf8.count)
    return "\(folder)\(stem)\(zeros)\(random).part"
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
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
    if status.st_uid != earlier.owner || status.st_gid != earlier.group {
      _ = fchown(descriptor.rawValue, earlier.owner, earlier.group)
    }
    // Opening applies the umask, which the earlier file's permissions may exceed.
    guard fchmod(descriptor.rawValue, CInterop.Mode(earlier.permissions.rawValue)) == 0 else {
      throw Errno(rawValue: errno)
    }
  }
}
