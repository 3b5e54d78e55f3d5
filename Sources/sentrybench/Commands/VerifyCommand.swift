import ArgumentParser
import Captures
import Sessions
import Sketches

struct VerifyCommand: ParsableCommand, SelectsDevice, ReadsRecording {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Replay traces, or folders of them, and compare.",
    discussion: """
      The inputs of each trace are fed to the device, and its outputs are compared with those in \
      the trace. A folder stands for every *.jsonl file below it. A trace with uncertain times \
      agrees if it agrees in every timing that was replayed. If it agrees in only some, has no \
      outputs that can be compared, or is a recording that does not show its session (wrong speed, \
      swapped or inverted lines, unknown commands), it is undecided, and the status is 1.
      """)

  @Argument(
    help: "Traces and folders; - is standard input, last the last session.", completion: .file())
  var paths: [String]

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions

  @Option(
    help: "The allowed error of an output's time, for example 200us. Overrides the traces' own.",
    transform: Interval.argument)
  var tolerance: Interval?

  @OptionGroup(title: HelpGroup.worlds) var worldOptions: WorldOptions

  @Option(
    help: ArgumentHelp(
      """
      Write the timing that agrees and is nearest to the recorded times to this file, as a trace.
      """, valueName: "trace"), completion: .file())
  var best: String?

  @OptionGroup(title: HelpGroup.judging) var ruleOptions: RuleOptions

  @Flag(help: "Rewrite the outputs of traces that disagree, with those of the device.")
  var update = false

  @Option(help: "Write a JUnit report to this file.", completion: .file())
  var junit: String?

  @OptionGroup(title: HelpGroup.output) var page: ReportOptions

  @Flag(help: "Print JSON Lines, one object for each trace.")
  var json = false

  @Option(help: "The number of traces to verify at once. Default: one for each processor.")
  var jobs: Int?

  @Option(help: "Verify only the I-th (from 1) of N parts, for example 1/4.")
  var shard: Shard?

  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try deviceOptions.check()
    let rules = ruleOptions.areGiven
    try UsageRule.check(
      UsageRule("--jobs", jobs, atLeast: 1),
      UsageRule("--update", update, excludes: "--shard", shard),
      UsageRule("--update", update, excludes: "--rules or --strict", rules),
      UsageRule(
        "--rules and --strict", rules, requires: "a file", !paths.contains("-"),
        because: "standard input cannot be read twice"),
      UsageRule(
        brokenIf: best != nil && (paths.count != 1 || update),
        "--best requires one trace, and cannot be combined with --update."),
      UsageRule(
        brokenIf: best == "-" && (json || junit == "-"),
        "--best - cannot share standard output with --json or --junit -."))
    try page.check(paths: paths)
    try UsageRule.check(.ofReports(json, junit))
  }

  func run() throws {
    let profile = try profileOptions.read()
    let paths = try paths.map { (path) throws(Failure) in try TraceArgument.path(path) }
    var run = VerifyRun(paths, on: try deviceOptions.choice(profile))
    run.tolerance = tolerance
    run.worlds = worldOptions.run
    run.best = best
    run.rules = try ruleOptions.read()
    try run.rules?.spareTraces()
    run.updates = update
    run.junit = junit
    try Outputs.spare(paths)
    run.page = try page.open()
    run.printsJSON = json
    run.jobs = jobs
    run.shard = shard
    run.limit = length.limit
    run.recording = try recordingOptions(isJudged: true, profile: profile)
    // Among many traces, a broken one is a trace.
    run.recording.namesKind = nil
    run.verbosity = talk.verbosity
    try run.run()
  }
}
