import SystemPackage
package import Traces

/// A file that was named, or was found in a named folder.
package struct FoundFile: Sendable {
  package var path: String
  /// The size in bytes; 0 if unknown.
  package var size = 0
  /// Why the file cannot be read.
  package var error: TraceError?
}

package enum FoundFiles {
  /// Returns the file itself, or every file below the folder with one of the endings, in byte order
  /// of the path. `what` names the expected contents in messages. `skipsHidden` leaves out folders
  /// whose name begins with a full stop.
  package static func find(
    _ path: String, endings: [String] = [".jsonl"], wanting what: String = "a trace",
    skipsHidden: Bool = false
  ) -> [FoundFile] {
    guard path != "-" else { return [FoundFile(path: path)] }
    do {
      let status = try FilePath(path).stat()
      guard status.type == .directory else {
        return [FoundFile(path: path, size: Int(status.size))]
      }
    } catch {
      return [FoundFile(path: path, error: TraceError(opening: path, error, wanting: what))]
    }
    var found: [FoundFile] = []
    collect(path, endings, what, skipsHidden, into: &found)
    if found.isEmpty {
      let names = endings.map { "*\($0)" }.joined(separator: " or ")
      let error = TraceError(.noInput, path: path, "there is no \(names) in this folder")
      return [FoundFile(path: path, error: error)]
    }
    return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private static func collect(
    _ folder: String, _ endings: [String], _ what: String, _ skipsHidden: Bool,
    into found: inout [FoundFile]
  ) {
    guard let stream = opendir(folder) else {
      let error = TraceError(opening: folder, Errno(rawValue: errno), wanting: what)
      return found.append(FoundFile(path: folder, error: error))
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      guard name != ".", name != ".." else { continue }
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      let isMeant = endings.contains { name.hasSuffix($0) }
      // A link to a folder is not followed: it could lead back here.
      guard let link = try? FilePath(path).stat(followTargetSymlink: false) else { continue }
      if link.type == .directory {
        if skipsHidden, name.hasPrefix(".") { continue }
        collect(path, endings, what, skipsHidden, into: &found)
      } else if isMeant, let status = try? FilePath(path).stat(),
        status.type == .regular
      {
        found.append(FoundFile(path: path, size: Int(status.size)))
      } else if isMeant, link.type == .symbolicLink,
        (try? FilePath(path).stat()) == nil
      {
        let error = TraceError(opening: path, .noSuchFileOrDirectory, wanting: what)
        found.append(FoundFile(path: path, error: error))
      }
    }
  }
}
