import ArgumentParser
import Devices
import Engine
import Sessions
import Sketches

struct ExploreCommand: ParsableCommand, SelectsDevice {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Look for a session that breaks a rule or differs on two devices.",
    discussion: """
      Makes up sessions from the sketch's commands, and changes those further that showed \
      something new: another output, another state of the sketch, another delay. A session that \
      breaks a rule of --rules or --strict, or on which the device of --against does not do the \
      same, or on which the program on the chip crashes, is made as small as possible and \
      printed, one for each way to fail; with --output, it is also written. Parts of commands and \
      other bytes that the search itself sends are not held against the sketch. The search ends \
      after --budget, or with --first when something is found. The exit status is 1 if something \
      was found, and 0 if not, which proves nothing about sessions that were not run. With \
      --fault, faults strike each session, drawn again; a session that is found states what they \
      did, so that it replays without them. With the same seed and --sessions, the search is the \
      same on any number of processors.
      """)

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup var profileOptions: ProfileOptions

  @OptionGroup(title: HelpGroup.judging) var ruleOptions: RuleOptions

  @OptionGroup(title: HelpGroup.judging) var comparison: ComparisonOptions

  @OptionGroup(title: HelpGroup.session) var faults: FaultOptions

  @Option(
    help: "How long to search, for example 30s; 0 for no limit. Default: 60s.",
    transform: Interval.limit)
  var budget: Interval?

  @Flag(help: "End with the first result.") var first = false

  @Option(help: "The number of sessions to run at most. Default: no limit.")
  var sessions: Int?

  @Option(
    help: """
      How much memory kept sessions can take, in MB. When it is full, no more are kept.
      """)
  var memory = ExploreRun.defaultMemory >> 20

  @Option(help: "The number of sessions to run at once. Default: one for each processor.")
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "A trace, or a folder of them, whose sessions are changed further. Repeatable.",
      valueName: "trace"), completion: .file())
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      A folder for the sessions that showed something new, as few as possible. A later search \
      continues from it. Files that explore did not write are left as they are.
      """, valueName: "folder"), completion: .directory)
  var corpus: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      A folder for what is found: each session as a trace, with the rule that it breaks, a picture \
      and an explanation of its bytes.
      """, valueName: "folder"),
    completion: .directory)
  var output: String?

  @Option(help: "Write a JUnit report to this file.", completion: .file())
  var junit: String?

  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    let fault = faults.specs.first { $0.isReturn }
    try deviceOptions.check()
    try UsageRule.check(
      UsageRule(
        brokenIf: ruleOptions.areGiven == comparison.areGiven,
        "explore requires one of --rules or --strict, and --against."),
      UsageRule("--sessions", sessions, atLeast: 1),
      UsageRule("--memory", memory, in: 1...1_048_576, noun: "number of MB"),
      UsageRule("--jobs", jobs, atLeast: 1),
      UsageRule(
        brokenIf: fault != nil,
        "--fault \(fault?.text ?? ""): explore judges what the board sends, before such a fault."))
  }

  func run() throws {
    var run = ExploreRun(on: try deviceOptions.choice(), try test())
    run.profile = try profileOptions.read()?.ownProfile
    if let budget { run.budget = budget.limit }
    run.count = sessions
    run.endsWithFirst = first
    run.seed = faults.seed ?? ExploreRun.defaultSeed
    run.memory = memory << 20
    run.faults = faults.specs
    if let jobs { run.jobs = jobs }
    run.sources = from
    run.corpus = corpus
    run.output = output
    run.junit = junit
    run.verbosity = talk.verbosity
    try run.run()
  }

  private func test() throws -> ExploreRun.Test {
    if let file = try ruleOptions.read() {
      try file.spareTraces()
      return .rules(file)
    }
    guard let device = try comparison.device(like: deviceOptions) else {
      throw CleanExit.helpRequest(self)
    }
    return .difference(device, tolerance: comparison.tolerance)
  }
}
