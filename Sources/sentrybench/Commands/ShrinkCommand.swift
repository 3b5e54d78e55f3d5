import ArgumentParser
import Devices
import Sessions
import Sketches

struct ShrinkCommand: ParsableCommand, SelectsDevice, ReadsRecording {
  static let configuration = CommandConfiguration(
    commandName: "shrink",
    abstract: "Find the smallest session that still fails.",
    discussion: """
      Replays parts of a session on the device, and keeps what is needed for its failure: fewer \
      bytes, simpler bytes, rounder times. A session fails if it breaks one of the rules of \
      --rules or --strict, if the device of --against does not do the same, or if the command \
      after -- ends with status 0. The command gets the path of a trace in place of {}, or as its \
      last argument; a status of 126 or 127 ends the search, any other means that the session does \
      not fail. A smaller session must break the same rule in the same way. The result is a trace \
      with the device's outputs. Ctrl-C ends the search, and the smallest session found so far is \
      written. If the session does not fail, nothing is written and the exit status is 1.
      """)

  @Argument(
    help: "The trace or recording; - is standard input, last the last session.",
    completion: .file())
  var trace: String

  @Argument(
    parsing: .postTerminator,
    help: "After --: a command that ends with status 0 if the session in the file fails.")
  var command: [String] = []

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions

  @OptionGroup(title: HelpGroup.judging) var ruleOptions: RuleOptions

  @OptionGroup(title: HelpGroup.judging) var comparison: ComparisonOptions

  @Option(
    help: """
      How long the command after -- can take for one session, for example 10s; 0 for no limit. \
      One that takes longer is killed, and the session counts as one that does not fail. Default: \
      60s.
      """, transform: Interval.limit)
  var timeout: Interval?

  @Option(
    help: """
      How long the search can take, for example 30s; 0 for no limit. Then the smallest session \
      found so far is written. Default: no limit.
      """, transform: Interval.limit)
  var budget: Interval?

  @Flag(
    help: """
      Allow any part of a command to stand for one that was broken off: X for X30. Default: a \
      command that lost its end stays as long as it was.
      """)
  var exact = false

  @Option(name: .shortAndLong, help: "The output file; - is standard output.", completion: .file())
  var output = "-"

  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  private static let usualTimeout = Interval.seconds(60)

  func validate() throws {
    try deviceOptions.check()
    let tests: [any Givable] = [ruleOptions.areGiven, comparison.areGiven, command]
    try UsageRule.check(
      UsageRule(
        brokenIf: tests.count { $0.isGiven } != 1,
        "shrink requires one of --rules or --strict, --against, and a command after --, which "
          + "says whether a session fails."),
      UsageRule("--timeout", timeout, requires: "a command after --", command))
  }

  func run() throws {
    let profile = try profileOptions.read()
    let job = try TraceJob(
      TraceArgument.path(trace), on: try deviceOptions.choice(profile),
      try recordingOptions(isJudged: true, profile: profile), limit: length.limit, talk.verbosity)
    var run = ShrinkRun(job, try test(), output: output)
    run.budget = budget?.limit
    run.isExact = exact
    try run.run()
  }

  private func test() throws -> ShrinkRun.Test {
    if let file = try ruleOptions.read() {
      try file.spareTraces()
      return .rules(file)
    }
    if let device = try comparison.device(like: deviceOptions) {
      return .difference(device, tolerance: comparison.tolerance)
    }
    return .command(command, limit: (timeout ?? Self.usualTimeout).limit)
  }
}
