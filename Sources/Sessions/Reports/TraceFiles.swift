import Files
import Platform
import SystemPackage
package import Traces

/// A trace that was named, or was found in a named folder.
package struct TraceFile: Sendable {
  package var path: String
  /// The size in bytes; 0 if unknown.
  package var size = 0
  /// Why the file cannot be read.
  package var error: TraceError?
}

package enum TraceFiles {
  /// Returns the file itself, or every `*.jsonl` below the folder in byte order of the path.
  package static func find(_ path: String) -> [TraceFile] {
    guard path != "-" else { return [TraceFile(path: path)] }
    do {
      let status = try FilePath(path).stat()
      guard status.type == .directory else {
        return [TraceFile(path: path, size: Int(status.size))]
      }
    } catch {
      return [TraceFile(path: path, error: TraceError(opening: path, error))]
    }
    var found: [TraceFile] = []
    collect(path, into: &found)
    if found.isEmpty {
      let error = TraceError(.noInput, path: path, "there is no *.jsonl in this folder")
      return [TraceFile(path: path, error: error)]
    }
    return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private static func collect(_ folder: String, into found: inout [TraceFile]) {
    guard let stream = opendir(folder) else {
      let error = TraceError(opening: folder, Errno(rawValue: errno))
      return found.append(TraceFile(path: folder, error: error))
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
      // A link to a folder is not followed: it could lead back here.
      guard let link = try? FilePath(path).stat(followTargetSymlink: false) else { continue }
      if link.type == .directory {
        collect(path, into: &found)
      } else if name.hasSuffix(".jsonl"), let status = try? FilePath(path).stat(),
        status.type == .regular
      {
        found.append(TraceFile(path: path, size: Int(status.size)))
      } else if name.hasSuffix(".jsonl"), link.type == .symbolicLink,
        (try? FilePath(path).stat()) == nil
      {
        let error = TraceError(opening: path, .noSuchFileOrDirectory)
        found.append(TraceFile(path: path, error: error))
      }
    }
  }
}
