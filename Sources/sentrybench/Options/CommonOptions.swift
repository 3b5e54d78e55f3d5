import ArgumentParser
import Judging
import Sessions
import Sketches
import Traces

/// Options of commands that judge sessions by rules.
struct RuleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Judge the session by the rules of this scenario file. With run, its scenario also states the \
      firmware and the speed.
      """, valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var rules: String?

  @Option(
    help: ArgumentHelp(
      "The scenario whose rules are used, if the file contains several.", valueName: "name"),
    completion: .custom { words, _, _ in RuleOptions.scenarios(words) })
  var scenario: String?

  @Flag(
    help: """
      Require that nothing goes wrong with a byte: none is lost, junk, swallowed, abandoned, \
      refused or sent at a wrong speed.
      """)
  var strict = false

  func validate() throws {
    try UsageRule.check(UsageRule("--scenario", scenario, requires: "--rules", rules))
  }

  /// Returns the names of the scenarios in the file of --rules, for the shell.
  static func scenarios(_ words: [String]) -> [String] {
    let option = "--rules"
    let path = zip(words, words.dropFirst()).first { $0.0 == option }?.1
    let joined = words.first { $0.hasPrefix("\(option)=") }?.dropFirst(option.count + 1)
    guard let path = path ?? joined.map(String.init) else { return [] }
    return SuiteFiles.read([path]).tests.map { $0.scenario.name }
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

/// Options of commands that compare two devices.
struct ComparisonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A device that must do the same: a sketch or avr:FILE. The name of a sketch stands for its \
      model.
      """, valueName: "device"), completion: UsualValues.sketches)
  var against: String?

  @Option(
    help: """
      With --against: how much earlier or later an output can be, for example 20ms. Default: what \
      the trace states, or 200us.
      """, transform: Interval.argument)
  var tolerance: Interval?

  func validate() throws {
    try UsageRule.check(UsageRule("--tolerance", tolerance, requires: "--against", against))
  }

  /// Whether another device judges.
  var areGiven: Bool { against != nil }

  /// The other device, wired as the first; nil if there is none.
  func device(like options: DeviceOptions) throws -> DeviceChoice? {
    try against.map { try options.compared(with: $0) }
  }
}

/// The option for a page about what a command judged.
struct ReportOptions: ParsableArguments {
  @Option(
    help: """
      Write an HTML report about the sessions to this file: their verdicts, pictures, commands and \
      bytes, as the command report does for one session.
      """, completion: .file())
  var report: String?

  /// Refuses a trace on standard input, and a report on standard output.
  func check(paths: [String] = []) throws {
    try UsageRule.check(
      UsageRule("--report", report, requires: "a file", report != "-"),
      UsageRule(
        "--report", report, requires: "a trace in a file", !paths.contains("-"),
        because: "standard input cannot be read twice"))
  }

  func open() throws(Failure) -> ReportFile? {
    try report.map { (path) throws(Failure) in try ReportFile(path, by: SentryBench.program) }
  }
}

/// Options of commands that replay a session with uncertain times in many worlds.
struct WorldOptions: ParsableArguments {
  @Option(
    help: """
      How far the time of each byte can be off, for example 5ms. The session is replayed in many \
      timings within these bounds. Default: what the trace states; 0s takes its times as exact.
      """,
    transform: Interval.argument)
  var uncertainty: Interval?

  @Option(
    help: """
      The number of timings to replay, each of which is a world. Default: 1000, or on avr: as many \
      as 10 s of processor time allow.
      """)
  var worlds: Int?

  @Option(help: "The seed from which the timings are drawn. Default: 1.")
  var seed: UInt64?

  func validate() throws {
    try UsageRule.check(UsageRule("--worlds", worlds, in: WorldsRun.counts))
  }

  /// Replays worlds as the options state.
  var run: WorldsRun {
    var run = WorldsRun()
    run.uncertainty = uncertainty
    run.count = worlds
    run.seed = seed ?? WorldsRun.defaultSeed
    return run
  }
}

/// The file of a picture or a page: see `ChosenOutput`.
struct ChosenOutputOption: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: """
      The output file; - is standard output. Default: on a terminal a file here that is named \
      after the trace, otherwise -.
      """, completion: .file())
  var output: String?
}

/// Options for the length of a trace's session.
struct LengthOptions: ParsableArguments {
  @Flag(help: "Accept a session of more than a day, which is otherwise refused.")
  var allowLong = false

  var limit: SessionLimit? { allowLong ? nil : SessionLimit() }
}

/// The option of commands whose sessions are kept.
struct KeepOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-keep"),
    help: """
      Do not keep this session as last, nor what failed for --rerun. Otherwise the last \
      \(SessionCache.countMax) sessions, of a live one at most the last five minutes, are in the \
      user's cache folder (sentrybench in $XDG_CACHE_HOME), which only the user can read. In CI \
      nothing is kept.
      """)
  var noKeep = false

  /// Where they are kept; nil if they are not.
  var cache: SessionCache? { noKeep ? nil : .current }
}

/// The name of a trace or a recording, or `last` for a session that was kept.
enum TraceArgument {
  static let help = "The trace; - is standard input, last the last session."

  /// Returns the path of the file.
  static func path(_ argument: String) throws(Failure) -> String {
    try SessionCache.path(of: argument, in: .current) ?? argument
  }
}

/// Options for how much is printed.
struct TalkOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print more.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Print less.")
  var quiet = false

  var verbosity: Verbosity { quiet ? .quiet : verbose ? .verbose : .normal }

  func validate() throws {
    try UsageRule.check(
      UsageRule(brokenIf: verbose && quiet, "-v and -q cannot be combined."))
  }
}
