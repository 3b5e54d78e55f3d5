import Platform

/// The path of this program, for starting it again.
package enum ProgramPath {
  package static var current: String {
    // On Linux the link names the program even if it was found on the PATH.
    let name = CommandLine.arguments.first ?? "sentrybench"
    return resolved("/proc/self/exe") ?? (name.contains("/") ? resolved(name) ?? name : name)
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
