import Platform
public import SentryBenchModels
import SystemPackage
public import Testing

extension Trait where Self == TurretRecord {
  /// Writes the session of each turret that fails to a folder, named after the test.
  ///
  /// - Parameter folder: relative to the folder in which the tests run. It is created if necessary.
  public static func recordsTurret(in folder: String) -> TurretRecord {
    TurretRecord { (files, name) in
      do {
        try files.write(to: folder, named: name)
      } catch {
        Issue.record("\(folder): cannot save the session: \(error)")
      }
    }
  }
}

extension SessionFiles {
  /// The maximum number of sessions with the same name in a folder.
  private static let countMax = 1_000
  private static let nameMax = 80

  /// Writes the files. If a name is in use, adds a number to it.
  func write(to folder: String, named name: String) throws(Errno) {
    try Self.makeFolder(FilePath(folder))
    let stem = Self.fileName(name)
    for number in 1...Self.countMax {
      let path = "\(folder)/\(stem)" + (number == 1 ? "" : "-\(number)")
      do {
        for part in parts { try Self.write(part.text, to: "\(path).\(part.ending)") }
        return
      } catch Errno.fileExists {
        continue
      }
    }
    throw Errno.fileExists
  }

  /// Returns a file name in which hyphens replace characters that are not safe.
  static func fileName(_ name: String) -> String {
    let plain = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let words = String(plain).split(separator: "-").joined(separator: "-").prefix(nameMax)
    return words.isEmpty ? "turret" : String(words)
  }

  private static func makeFolder(_ path: FilePath) throws(Errno) {
    if mkdir(path.string, 0o777) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path.removingLastComponent() != path else {
      throw Errno(rawValue: errno)
    }
    try makeFolder(path.removingLastComponent())
    guard mkdir(path.string, 0o777) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
  }

  private static func write(_ text: String, to path: String) throws(Errno) {
    do {
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: FilePermissions(rawValue: 0o666))
      _ = try file.closeAfter { try file.writeAll(text.utf8) }
    } catch {
      throw Errno.of(error)
    }
  }
}
