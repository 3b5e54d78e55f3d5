package import Devices
package import Engine
package import Judging
import Platform
package import Sketches
package import Traces

/// A file of rules, as `--rules` names it: a scenario file, or a list of rules.
package struct RuleFile {
  package var path: String
  package var rules: [Rule]
  /// The scenario; nil for rules without one.
  private var scenario: Scenario?
  /// The profile that it states; nil for none.
  package private(set) var profile: ProfileChoice?

  /// Adds what `--strict` requires.
  package mutating func addStrict() { rules.append(.strict) }

  /// Creates the rules of `--strict` alone.
  package static var strict: RuleFile { RuleFile(path: "", rules: [.strict]) }

  /// Rules that stand in a file of another kind. `path` is that file's.
  package init(path: String, rules: [Rule]) {
    self.path = path
    self.rules = rules
  }

  /// Reads the file. `scenario` is the name of the scenario whose rules are used; nil if there is
  /// only one.
  package init(path: String, scenario: String? = nil) throws(Failure) {
    self.path = path
    let contents = try SuiteFiles.read(path, wanting: "rules") {
      (parser, documents) throws(NotationError) -> (rules: [Rule], scenario: Scenario?) in
      guard let scenario else { return try parser.rules(documents) }
      let scenarios = try parser.scenarios(documents)
      guard let found = scenarios.first(where: { $0.name == scenario }) else {
        let names = scenarios.map { PlainText.quoted($0.name) }.joined(separator: ", ")
        throw NotationError(
          .init(), "expected a scenario with the name \(PlainText.quoted(scenario)), found \(names)"
        )
      }
      return (found.rules, found)
    }
    rules = contents.rules
    self.scenario = contents.scenario
    profile = try contents.scenario?.profile.map { (stated) throws(Failure) in
      try ProfileChoice(stated, besides: path)
    }
  }

  /// Judges a recorded session. If it has no outputs, a device of the source produces them.
  package func report(
    on reader: inout TraceReader, _ firmware: Firmware?, _ source: some DeviceSource
  ) throws(TraceError) -> RuleReport {
    try RuleReport(rules, &reader, firmware: firmware, on: source) {
      (path) throws(TraceError) in try open(path)
    }
  }

  /// Adds what the file states about a session.
  package func add(to stated: inout StatedSession) {
    if let scenario { stated.add(scenario, profile) }
    stated.add(rules)
  }

  /// The exit status that a rule expects of the sender; nil if no rule does.
  var expectedStatus: Int? {
    for case .sender(.exit(let status)) in rules.map(\.requirement) { return status }
    return nil
  }

  /// Throws `.usage` if an output of the command would replace a trace that a rule names.
  package func refuseOutputs() throws(Failure) {
    try Outputs.refuseInputs(
      rules.compactMap { rule in
        guard case .golden(let golden) = rule.requirement else { return nil }
        return NamedFiles.Input(Self.path(golden.path, besides: path))
      })
  }

  /// Opens a trace that a rule names. Its path is relative to the file's folder.
  package func open(_ trace: String) throws(TraceError) -> TraceReader {
    try TraceReader(path: Self.path(trace, besides: path))
  }

  /// Converts a path that a file contains, relative to its folder, to one relative to the working
  /// directory.
  package static func path(_ path: String, besides file: String) -> String {
    guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
    return file[...slash] + path
  }
}
