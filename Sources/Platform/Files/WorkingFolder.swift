/// The folder in which the program was started.
package enum WorkingFolder {
  /// Returns a path for programs in other folders.
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    let name = String(cString: folder)
    return name.hasSuffix("/") ? name + path : "\(name)/\(path)"
  }
}
