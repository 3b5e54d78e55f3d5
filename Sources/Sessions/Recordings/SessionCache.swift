import Engine
import Pictures
import Platform
import SystemPackage
import Traces

/// The last sessions that the user has run, which scenarios failed, and which line endings were
/// chosen, in the user's cache folder.
///
/// Only the user can read it: sessions contain what senders send. Each file is written under
/// another name and renamed, so that two benches at once do no harm, and a full disk leaves what is
/// there.
package struct SessionCache: Hashable, Sendable {
  /// How many sessions are kept, and for how many folders the scenarios that failed.
  package static let countMax = 10
  /// The size from which on a session is not kept, in bytes.
  static let sessionMax = 16 << 20
  /// How much of the list of failed scenarios is kept, in bytes.
  private static let listMax = 1 << 20
  /// The name of the last session where a command takes a trace. `last:2` is the one before it.
  package static let name = "last"

  private static let sessions = (prefix: "session-", suffix: ".jsonl")
  private static let lists = (prefix: "failed-", suffix: ".txt")
  private static let lineEnds = (prefix: "line-end-", suffix: ".txt")

  package let folder: String

  package init(folder: String) { self.folder = folder }

  /// The folder of this user. Nil in CI, where it would go with the machine, and for a user without
  /// a home.
  package static var current: SessionCache? {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    guard (variable("CI") ?? "").isEmpty else { return nil }
    return SessionCache(cache: variable("XDG_CACHE_HOME"), home: variable("HOME"))
  }

  /// - Parameters:
  ///   - cache: `XDG_CACHE_HOME`, which is used only if it is absolute.
  ///   - home: `HOME`.
  init?(cache: String?, home: String?) {
    #if os(macOS)
      let usual = "Library/Caches"
    #else
      let usual = ".cache"
    #endif
    if let cache, cache.hasPrefix("/") {
      folder = "\(cache)/sentrybench"
    } else if let home, home.hasPrefix("/") {
      folder = "\(home)/\(usual)/sentrybench"
    } else {
      return nil
    }
  }

  // MARK: Sessions

  /// Keeps a session as the last one, and removes those that are too many. Returns why it could not
  /// be kept; nil if it was.
  package func keep(_ trace: [UInt8]) -> String? {
    guard trace.count <= Self.sessionMax else {
      return "it is longer than \(Self.sessionMax >> 20) MiB"
    }
    // The time comes first, so that the order of the names is that of the sessions.
    let time = WallTime.now.text.filter { $0.isNumber }
    return write(trace, Self.sessions.prefix + "\(time)-\(getpid())", Self.sessions)
  }

  /// Returns the path of a session that is kept, for `last` and `last:2`; nil for any other name,
  /// and if there is a file of that name. Throws if no such session is kept.
  package static func path(of name: String, in cache: SessionCache?) throws(Failure) -> String? {
    guard let index = index(of: name), access(name, F_OK) != 0 else { return nil }
    let names = cache?.names(Self.sessions) ?? []
    guard let cache, index <= names.count else {
      let kept = names.isEmpty ? "no session is kept" : "so many are kept: \(names.count)"
      throw Failure(
        .noInput,
        "\(name): error: \(kept); run, record and failed scenarios of test are kept, "
          + "except in CI and with --no-keep")
    }
    return "\(cache.folder)/\(names[names.count - index])"
  }

  /// Returns how many sessions ago a name stands for, from 1; nil if it is none of these names.
  private static func index(of name: String) -> Int? {
    if name == Self.name { return 1 }
    guard name.hasPrefix("\(Self.name):"), let index = Int(name.dropFirst(Self.name.count + 1)),
      (1...countMax).contains(index)
    else { return nil }
    return index
  }

  // MARK: Scenarios that failed

  /// What the last suite in a folder was.
  package struct FailedSuite: Hashable, Sendable {
    /// The files and folders with its scenarios, as on the command line.
    package var paths: [String] = []
    /// The titles of the scenarios that failed.
    package var titles: [String] = []
    /// The files that could not be read, whose scenarios have no titles yet.
    package var unread: [String] = []

    package init(paths: [String] = [], titles: [String] = [], unread: [String] = []) {
      self.paths = paths
      self.titles = titles
      self.unread = unread
    }

    package var isEmpty: Bool { titles.isEmpty && unread.isEmpty }

    /// Returns the scenarios to run again.
    package func tests(in all: [SuiteTest]) -> [SuiteTest] {
      let (titles, unread) = (Set(titles), Set(unread))
      return all.filter { titles.contains($0.title) || unread.contains($0.path) }
    }

    private static let (path, title, file) = ("path ", "failed ", "unread ")

    init(text: String) {
      for line in text.split(separator: "\n") {
        if line.hasPrefix(Self.path) { paths.append(String(line.dropFirst(Self.path.count))) }
        if line.hasPrefix(Self.title) { titles.append(String(line.dropFirst(Self.title.count))) }
        if line.hasPrefix(Self.file) { unread.append(String(line.dropFirst(Self.file.count))) }
      }
    }

    /// A line each. Nil if one of them would be several lines.
    var text: String? {
      let lines =
        paths.map { Self.path + $0 } + titles.map { Self.title + $0 }
        + unread.map { Self.file + $0 }
      guard !lines.contains(where: { $0.contains("\n") }) else { return nil }
      return lines.map { $0 + "\n" }.joined()
    }
  }

  /// Remembers the last suite in the working folder. Returns why that failed; nil if it did not.
  package func keep(_ suite: FailedSuite) -> String? {
    guard let text = suite.text, text.utf8.count <= Self.listMax else {
      return "the list of its scenarios is too long"
    }
    return write(Array(text.utf8), listName, Self.lists)
  }

  /// The last suite in the working folder; nil if none is known.
  package var failedSuite: FailedSuite? {
    let path = "\(folder)/\(listName)\(Self.lists.suffix)"
    guard let text = try? InputFile.contents(of: path, wanting: "a list") else { return nil }
    return FailedSuite(text: String(decoding: text, as: UTF8.self))
  }

  /// The name of the working folder's list.
  private var listName: String {
    let path = getcwd(nil, 0)
    defer { free(path) }
    return Self.fileName(Self.lists.prefix, of: path.map { String(cString: $0) } ?? ".")
  }

  // MARK: The serial monitor

  /// Remembers the line ending of a sketch in the view's serial monitor. If that fails, nothing is
  /// said: the session goes on, and the ending can be chosen again.
  func keep(_ lineEnd: SerialMonitor.LineEnd, of sketch: String) {
    _ = write(
      Array(lineEnd.rawValue.utf8), Self.fileName(Self.lineEnds.prefix, of: sketch), Self.lineEnds)
  }

  /// The line ending that was chosen last for a sketch; nil if none was.
  func lineEnd(of sketch: String) -> SerialMonitor.LineEnd? {
    let name = Self.fileName(Self.lineEnds.prefix, of: sketch) + Self.lineEnds.suffix
    let text = try? InputFile.contents(of: "\(folder)/\(name)", wanting: "a line ending")
    return text.flatMap { SerialMonitor.LineEnd(rawValue: String(decoding: $0, as: UTF8.self)) }
  }

  // MARK: Files

  /// Returns a name for what belongs to a folder or a sketch: a hash (FNV-1a) of its own.
  private static func fileName(_ prefix: String, of owner: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in owner.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return prefix + String(hash, radix: 16)
  }

  /// Writes a file, whose name has no suffix yet, and removes the oldest of its kind. Returns why
  /// it could not be written; nil if it was.
  private func write(
    _ bytes: [UInt8], _ name: String, _ kind: (prefix: String, suffix: String)
  ) -> String? {
    if let error = makeFolder() { return "\(folder): \(error)" }
    let path = "\(folder)/\(name)\(kind.suffix)"
    // All drafts have the beginning of one name, so that the next bench finds those that were left.
    NewFile.removeLeftovers(besides: "\(folder)/draft")
    let draft = NewFile.name(besides: "\(folder)/draft")
    do {
      let descriptor = try NewFile.create(draft, permissions: .init(rawValue: 0o600))
      try descriptor.closeAfter {
        guard NewFile.lock(descriptor) else { throw Errno.resourceBusy }
        _ = try descriptor.writeAll(bytes)
        if rename(draft, path) != 0 { throw Errno(rawValue: errno) }
      }
    } catch {
      unlink(draft)
      return "\(path): \(error)"
    }
    // Names of lists do not tell their age.
    let old = kind.prefix == Self.sessions.prefix ? names(kind) : names(kind).sorted(by: isOlder)
    for name in old.dropLast(Self.countMax) { unlink("\(folder)/\(name)") }
    return nil
  }

  /// Creates the folder for its owner only. Returns why it cannot be used; nil if it can.
  private func makeFolder() -> Errno? {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      guard mkdir(path, 0o700) == 0 || errno == EEXIST || access(path, F_OK) == 0 else {
        return Errno(rawValue: errno)
      }
    }
    // Another user's folder, for example below a shared XDG_CACHE_HOME, is not used.
    var status = stat()
    guard lstat(folder, &status) == 0 else { return Errno(rawValue: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return .notDirectory }
    guard status.st_uid == geteuid() else { return .permissionDenied }
    return chmod(folder, 0o700) == 0 ? nil : Errno(rawValue: errno)
  }

  /// The names of the files of a kind, in byte order.
  private func names(_ kind: (prefix: String, suffix: String)) -> [String] {
    ((try? PrivateFolder.names(in: folder)) ?? [])
      .filter { $0.hasPrefix(kind.prefix) && $0.hasSuffix(kind.suffix) }.sorted()
  }

  private func isOlder(_ a: String, _ b: String) -> Bool {
    func time(_ name: String) -> Int {
      var status = stat()
      guard stat("\(folder)/\(name)", &status) == 0 else { return 0 }
      #if os(macOS)
        return status.st_mtimespec.tv_sec
      #else
        return status.st_mtim.tv_sec
      #endif
    }
    return time(a) < time(b)
  }
}
