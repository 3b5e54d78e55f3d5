import ArgumentParser
import Devices
import Engine
import Sessions
import Sketches

struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run suites of scenarios.",
    discussion: """
      A scenario file is YAML: a sender, the sketch it meets, and rules for the session. A folder \
      stands for every *.yaml and *.yml file below it. A sender that is a list of bytes runs in \
      virtual time. One that is a command gets a bench of its own, with the port in SENTRY_PORT \
      and addresses in SENTRY_WEBSOCKET and SENTRY_TCP, and starts in the file's folder. The exit \
      status is 1 if a scenario fails, and 65 if a file is not a scenario; the others are still \
      run. Ctrl-C ends all senders; the report lists scenarios that were not run to their end as \
      skipped. The sessions of scenarios that fail are kept for a while: explain last is about the \
      one that was reported last.
      """)

  @Argument(
    help: "Scenario files and folders.", completion: .file(extensions: ["yaml", "yml"]))
  var paths: [String] = []

  @OptionGroup(title: HelpGroup.scenarios) var running: ScenarioOptions
  @OptionGroup(title: HelpGroup.output) var output: SuiteOutputOptions
  @OptionGroup(title: HelpGroup.output) var page: ReportOptions
  @OptionGroup(title: HelpGroup.output) var keeping: KeepOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try UsageRule.check(
      UsageRule(
        brokenIf: paths.isEmpty && running.rerun == nil,
        "Missing expected argument '<paths> ...': the files and folders with the scenarios."),
      UsageRule("--jobs", running.jobs, atLeast: 1),
      UsageRule("--repeat", running.repeats, in: 1...SuitePlan.repeatMax),
      UsageRule("--flaky", running.flaky, requires: "--repeat", running.repeats != 1),
      UsageRule("--update", output.update, excludes: "--repeat", running.repeats > 1),
      UsageRule(
        "--list", running.list,
        excludes: "--json, --junit, --artifacts, --report, --github or --code-quality", output.json,
        output.junit, output.artifacts, page.report, output.github, output.codeQuality))
    try page.check()
    try UsageRule.check(
      .ofReports(output.json, output.junit),
      UsageRule(brokenIf: output.codeQuality == "-", "--code-quality requires a file."),
      UsageRule(
        brokenIf: paths.contains("-"),
        "test reads files and folders; it cannot read standard input."))
  }

  func run() throws {
    var run = SuiteRun(paths) { (options) throws(Failure) in try Self.source(options) }
    run.filter = running.filter
    run.shard = running.shard
    run.repeats = running.repeats
    run.seed = running.seed
    run.isFlaky = running.flaky
    run.lists = running.list
    run.jobs = running.jobs
    run.timeout = running.timeout
    run.updates = output.update
    run.junit = output.junit
    run.codeQuality = output.codeQuality
    run.isOnGitHub = output.github
    run.artifacts = output.artifacts
    run.page = try page.open()
    run.cache = .current
    run.keeps = !keeping.noKeep
    run.rerunsFailed = running.rerun == .failed
    run.printsJSON = output.json
    run.verbosity = talk.verbosity
    try run.run()
  }

  /// Creates the device that a scenario's options select.
  private static func source(_ options: [String]) throws(Failure) -> any DeviceSource {
    do {
      return try DeviceArguments.parse(options).deviceOptions.source()
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.usage, "error: \(DeviceArguments.message(for: error))")
    }
  }
}

/// Options of `test` for which scenarios are run, and how.
struct ScenarioOptions: ParsableArguments {
  @Option(help: "Run only scenarios with this text in path or name. Case is ignored.")
  var filter: String?

  /// Which scenarios of the last run are run again.
  enum Rerun: String, CaseIterable, ExpressibleByArgument { case failed }

  @Option(
    help: """
      Run again what failed in the last run in this folder: failed. Without paths, those of that \
      run are read.
      """)
  var rerun: Rerun?

  @Option(help: "Run only the I-th (from 1) of N parts, for example 1/4.")
  var shard: Shard?

  @Flag(help: "List the scenarios instead of running them.")
  var list = false

  @Option(help: "The number of scenarios to run at once. Default: one for each processor.")
  var jobs: Int?

  @Option(
    name: .customLong("repeat"),
    help: """
      Run each scenario this many times. Each run of one with faults or a rig has the seed after \
      that of the run before it.
      """)
  var repeats = 1

  @Option(
    help: """
      The seed of each scenario with faults or a rig, in its first run. Default: that in the file, \
      or 1.
      """)
  var seed: UInt64?

  @Flag(
    help: "With --repeat: report how often each scenario failed, and show only its first failure.")
  var flaky = false

  @Option(
    help: """
      How long a sender, or the computing of a session in virtual time, can take if its scenario \
      states no timeout, for example 10s; 0 for no limit. Default: 60s for a sender, no limit in \
      virtual time.
      """, transform: Interval.limit)
  var timeout: Interval?
}

/// Options of `test` for what it writes.
struct SuiteOutputOptions: ParsableArguments {
  @Option(help: "Write a JUnit report to this file.", completion: .file())
  var junit: String?

  @Flag(
    help: """
      In a job of GitHub Actions: show failures at the lines of their rules, and in a summary on \
      the job's page ($GITHUB_STEP_SUMMARY).
      """)
  var github = false

  @Option(
    help: "Write the failures, with their lines, as a Code Quality report, which GitLab reads.",
    completion: .file())
  var codeQuality: String?

  @Option(
    help: ArgumentHelp(
      """
      Write a folder for each scenario that fails: its trace, a picture, an explanation of its \
      bytes, and what its sender printed.
      """, valueName: "folder"), completion: .directory)
  var artifacts: String?

  @Flag(help: "Rewrite the traces that the sessions disagree with (rule trace).")
  var update = false

  @Flag(help: "Print JSON Lines, one object for each scenario.")
  var json = false
}
