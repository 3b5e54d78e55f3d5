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
  private var documents: [Notation] = []
  /// The profile that it states; nil for none.
  package private(set) var profile: ProfileChoice?

  package mutating func addStrict() { rules.append(.strict) }

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
    var read: [Notation] = []
    let contents = try SuiteFiles.read(path, wanting: "rules") {
      (parser, documents) throws(NotationError) -> (rules: [Rule], scenario: Scenario?) in
      read = documents
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
    documents = read
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

  /// Returns one of the rules as a file of its own; nil if its text is not known.
  func text(of rule: Rule) -> String? {
    if rule == .strict {
      return "- {never: [\(Mishap.strict.map(\.rawValue).joined(separator: ", "))]}\n"
    }
    func find(in notation: Notation) -> Notation? {
      switch notation {
      case .text: return nil
      case .list(let items, _): return items.lazy.compactMap { find(in: $0) }.first
      case .mapping(let members, let place):
        // Of two at one place, the inner one is the rule.
        if let inner = members.lazy.compactMap({ find(in: $0.value) }).first { return inner }
        let text = "\(PlainText.escaped(path)):\(place.line):\(place.column)"
        return rule.place == text ? notation : nil
      }
    }
    return documents.lazy.compactMap { find(in: $0) }.first.map { "- \(text(of: $0))\n" }
  }

  /// A notation in YAML's flow style, with paths that are valid in any folder.
  private func text(of notation: Notation) -> String {
    switch notation {
    case .text(let text, _): return Self.scalar(text)
    case .list(let items, _): return "[\(items.map { text(of: $0) }.joined(separator: ", "))]"
    case .mapping(let members, _):
      let parts = members.map { member in
        var value = text(of: member.value)
        if member.key == "trace", case .text(let trace, _) = member.value {
          let path = Self.path(trace, besides: path)
          value = Self.scalar(
            realpath(path, nil).map { found in
              defer { free(found) }
              return String(cString: found)
            } ?? path)
        }
        return "\(Self.scalar(member.key)): \(value)"
      }
      return "{\(parts.joined(separator: ", "))}"
    }
  }

  /// A text as YAML: plain if that is certain to be read as it is.
  private static func scalar(_ text: String) -> String {
    func isPlain(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    let isPlain =
      text.utf8.first.map(isPlain) ?? false && text.utf8.last.map(isPlain) ?? false
      && text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-") }
    return isPlain ? text : JSONValue.string(text).text
  }

  /// The exit status that a rule expects of the sender; nil if no rule does.
  var expectedStatus: Int? {
    for case .sender(.exit(let status)) in rules.map(\.requirement) { return status }
    return nil
  }

  /// Keeps the traces that a rule names from being replaced by outputs.
  package func spareTraces() throws(Failure) {
    try Outputs.spare(
      rules.compactMap { rule in
        guard case .golden(let golden) = rule.requirement else { return nil }
        return Self.path(golden.path, besides: path)
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
