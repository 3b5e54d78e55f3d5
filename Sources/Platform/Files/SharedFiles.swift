package import SystemPackage
package import Traces

/// The folders of files that are installed with the program, such as those of its web pages.
package enum SharedFiles {
  /// The environment variable that names the folder that contains them all.
  package static let variable = "SENTRYBENCH_SHARE"

  private static var setFolder: String? { getenv(variable).map { String(cString: $0) } }

  /// Returns the folder `name`. A `TraceError` states where it was expected, and what to do.
  package static func folder(named name: String) throws(TraceError) -> FilePath {
    let places = places(of: name, set: setFolder, program: ProgramPath.current)
    let isThere = { (path: String) in (try? FilePath(path).stat().type) == .directory }
    if let place = places.first(where: isThere) { return FilePath(place) }
    throw TraceError(
      .noInput, path: places[0], "there is no such folder: \(remedy(forMissing: name))")
  }

  /// The source tree in which the program was built, if it is still there; nil if there is none.
  package static var sourceTree: String? {
    tree(of: ProgramPath.current).flatMap { tree in
      (try? FilePath("\(tree)/Makefile").stat()) == nil ? nil : tree
    }
  }

  /// Returns what to do about a folder that is missing.
  package static func remedy(forMissing name: String) -> String {
    remedy(forMissing: name, set: setFolder, .current)
  }

  /// Returns where a folder can be, in order of preference: only in the folder that the variable
  /// names, if it is set; otherwise in `../share/sentrybench` next to the program's folder, then in
  /// `web`, or `.build` if it has a compiled part, of the source tree in which the program was
  /// built.
  static func places(of name: String, set: String?, program: String) -> [String] {
    if let set, !set.isEmpty { return ["\(set)/\(name)"] }
    let parts = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let bin = parts.joined(separator: "/")
    var places = ["\(bin.isEmpty ? "." : bin)/../share/sentrybench/\(name)"]
    if let tree = tree(of: program) {
      let made = compiled.contains(name) ? ".build/\(name)" : "web/\(name)"
      places.append(tree == "." ? made : "\(tree)/\(made)")
    }
    return places
  }

  /// Returns the source tree in whose folder `.build` a program is; nil if it is in none.
  private static func tree(of program: String) -> String? {
    let parts = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    guard let build = parts.lastIndex(of: ".build") else { return nil }
    let tree = parts[..<build].joined(separator: "/")
    return tree.isEmpty ? "." : tree
  }

  /// These have a part that must be compiled; the other pages are installed as they are.
  private static let compiled = ["phone", "playground"]

  /// - Parameter set: the value of the variable; nil if it is not set.
  static func remedy(
    forMissing name: String, set: String?, _ installation: Installation
  ) -> String {
    if let set, !set.isEmpty {
      return "\(variable) is \(set); unset it to use what is installed with the program"
    }
    switch installation {
    case .tree(let tree):
      return compiled.contains(name)
        ? "`make \(name)` in \(tree) makes it" : "\(tree) is not complete, so fetch it again"
    case .prefix(let prefix):
      let first = compiled.contains(name) ? "`make \(name)` and then " : ""
      return "\(first)`make install PREFIX=\(prefix)` in the source tree puts it there"
    case .wheel: return "install the wheel again, which includes it"
    case .archive: return "unpack the tar.gz of sentrybench again, which includes it"
    case .alone:
      return "the wheel and the tar.gz of sentrybench include it; install one of these, or set "
        + "\(variable) to a folder that contains it"
    }
  }
}

/// How the program came to where it is.
package enum Installation: Hashable, Sendable {
  /// It was built in this source tree, which is still there.
  case tree(String)
  /// `make install` with this prefix.
  case prefix(String)
  case wheel, archive
  /// Only the program: nothing that belongs to it is near.
  case alone

  package static var current: Installation {
    if let tree = SharedFiles.sourceTree { return .tree(tree) }
    return Installation(of: ProgramPath.current) { (try? FilePath($0).stat()) != nil }
  }

  /// Tells it from what is near the program. `exists` is whether there is a file or a folder.
  init(of program: String, exists: (String) -> Bool) {
    let parts = program.split(separator: "/", omittingEmptySubsequences: false)
    let prefix = parts.dropLast(2).joined(separator: "/")
    self =
      if parts.count < 3 || parts[parts.count - 2] != "bin" {
        .alone
      } else if prefix.hasSuffix("-packages/sentrybench") {
        .wheel
      } else if exists("\(prefix)/licenses"), exists("\(prefix)/share/sentrybench") {
        .archive
      } else if exists("\(prefix)/share/sentrybench")
        || exists("\(prefix)/share/man/man1/sentrybench.1")
      {
        .prefix(prefix)
      } else {
        .alone
      }
  }

  /// Its name in a report.
  package var name: String {
    switch self {
    case .tree: "source tree"
    case .prefix: "make install"
    case .wheel: "wheel"
    case .archive: "tar.gz"
    case .alone: "program alone"
    }
  }
}

/// The path of this program.
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
