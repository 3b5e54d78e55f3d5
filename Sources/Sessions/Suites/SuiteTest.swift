import Platform
import Traces
package import Verification

/// A scenario of a suite.
package struct SuiteTest: Hashable, Sendable {
  /// The scenario file's path, as it was found.
  package var path: String
  package var scenario: Scenario

  package init(path: String, _ scenario: Scenario) {
    self.path = path
    self.scenario = scenario
  }

  /// The file and the scenario's name, on one line.
  package var title: String { PlainText.escaped("\(path): \(scenario.name)") }

  /// The folder of the file, ending with a slash; empty for the working directory. Paths in the
  /// file are relative to it.
  package var folder: String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// The file's name.
  package var fileName: String { String(path.dropFirst(folder.count)) }

  /// The path without the file's ending.
  var fileStem: String { Self.stem(of: path) }

  /// Returns a path without the file's ending.
  static func stem(of path: String) -> String {
    guard let dot = path.lastIndex(of: "."),
      path.lastIndex(of: "/").map({ $0 < dot }) ?? true
    else { return path }
    return String(path[..<dot])
  }

  /// Converts a path in the file to one relative to the working directory.
  package func resolved(_ path: String) -> String {
    RuleFile.path(path, besides: self.path)
  }

  /// The device's options as on the command line, with its path relative to the working directory.
  var device: [String] {
    let device = scenario.device ?? "model"
    let prefix = "avr:"
    let resolved =
      device.hasPrefix(prefix)
      ? prefix + resolved(String(device.dropFirst(prefix.count))) : device
    return ["--device=\(resolved)"] + scenario.options
  }

  /// Whether it runs in virtual time, in this process.
  package var isVirtual: Bool {
    if case .bytes = scenario.sender { true } else { false }
  }

  /// The rules that name a trace, and its path relative to the working directory.
  var goldens: [(rule: Rule, path: String)] {
    scenario.rules.compactMap { rule in
      guard case .golden(let golden) = rule.requirement else { return nil }
      return (rule, resolved(golden.path))
    }
  }

  /// The files that the scenario names. No output of a suite replaces one of them.
  var inputs: [NamedFiles.Input] {
    var paths = [path] + goldens.map(\.path)
    if case .file(let profile)? = scenario.profile { paths.append(resolved(profile)) }
    if let device = scenario.device, device.hasPrefix("avr:") {
      paths.append(resolved(String(device.dropFirst("avr:".count))))
    }
    return paths.map { NamedFiles.Input($0, endings: []) }
  }

  /// Whether `--update` writes a trace of the scenario for the first time.
  func isFirst(updates: Bool) -> Bool {
    updates && goldens.contains { access($0.path, F_OK) != 0 }
  }

  /// The scenario's rules, with or without those that name a trace.
  func rules(withTraces: Bool) -> [Rule] {
    withTraces
      ? scenario.rules
      : scenario.rules.filter { if case .golden = $0.requirement { false } else { true } }
  }
}
