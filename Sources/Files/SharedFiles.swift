import Platform
package import SystemPackage
package import Traces

/// The folders of files that are installed with the program, such as those of its web pages.
package enum SharedFiles {
  /// The environment variable that names the folder that contains them all.
  package static let variable = "SENTRYBENCH_SHARE"

  /// Returns the folder `name`. A `TraceError` states where it was expected, and which command
  /// makes it.
  package static func folder(named name: String) throws(TraceError) -> FilePath {
    let set = getenv(variable).map { String(cString: $0) }
    let places = places(of: name, set: set, program: ProgramPath.current)
    let isThere = { (path: String) in (try? FilePath(path).stat().type) == .directory }
    if let place = places.first(where: isThere) { return FilePath(place) }
    throw TraceError(.noInput, path: places[0], missing(name, isSet: set?.isEmpty == false))
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
    if let build = parts.lastIndex(of: ".build") {
      let tree = parts[..<build].joined(separator: "/")
      let made = compiled.contains(name) ? ".build/\(name)" : "web/\(name)"
      places.append(tree.isEmpty ? made : "\(tree)/\(made)")
    }
    return places
  }

  /// These have a part that must be compiled; the other pages are installed as they are.
  private static let compiled = ["phone", "playground"]

  private static func missing(_ name: String, isSet: Bool) -> String {
    let target = compiled.contains(name) ? "make \(name)" : "make install"
    return "there is no such folder: `\(target)` in the source tree makes it"
      + (isSet ? "; \(variable) names another place" : ", or set \(variable)")
  }
}
