import ArgumentParser
import Sessions

/// Options of commands that judge sessions by rules.
struct RuleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Judge the session by the rules of this scenario file. run also uses the firmware and the \
      speed of its scenario.
      """, valueName: "file"), completion: .file())
  var rules: String?

  @Option(
    help: ArgumentHelp(
      "The scenario whose rules are used, if the file contains several.", valueName: "name"))
  var scenario: String?

  @Flag(
    help: """
      Require that no byte is lost, junk, swallowed, abandoned, refused or sent at a wrong speed.
      """)
  var strict = false

  func validate() throws {
    if scenario != nil && rules == nil {
      throw ValidationError("--scenario requires --rules.")
    }
  }

  /// Whether rules judge the session.
  var areGiven: Bool { rules != nil || strict }

  /// Reads the rules; nil if there are none.
  func read() throws(Failure) -> RuleFile? {
    guard let rules else { return strict ? .strict : nil }
    var file = try RuleFile(path: rules, scenario: scenario)
    if strict { file.addStrict() }
    return file
  }
}
