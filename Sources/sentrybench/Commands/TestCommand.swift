import ArgumentParser
import Devices
import Files
import Sessions
import Traces
import Turret

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
      run. Ctrl-C ends all senders; in the report, what was not run to its end is skipped.
      """)

  @Argument(help: "Scenario files and folders.")
  var paths: [String]

  @Option(help: "The number of scenarios to run at once. Default: one for each processor.")
  var jobs: Int?

  @Option(help: "Write a JUnit report to this file.")
  var junit: String?

  @OptionGroup var page: ReportOptions

  @Option(help: "Run only scenarios with this text in their path or name, in any case.")
  var filter: String?

  @Flag(help: "List the scenarios instead of running them.")
  var list = false

  @Flag(help: "Rewrite the traces that the sessions disagree with (rule trace).")
  var update = false

  @Option(name: .customLong("repeat"), help: "Run each scenario this many times.")
  var repeats = 1

  @Flag(
    help: "With --repeat: report how often each scenario failed, and show only its first failure.")
  var flaky = false

  @Option(
    help: ArgumentHelp(
      """
      Write a folder for each scenario that fails: its trace, a picture, an explanation of its \
      bytes, and what its sender printed.
      """, valueName: "folder"))
  var artifacts: String?

  @Option(help: "Run only the I-th (from 1) of N parts, for example 1/4.")
  var shard: ShardArgument?

  @Option(
    help: """
      How long a sender can take whose scenario states no timeout, for example 10s; 0: any time. \
      Default: 60s.
      """, transform: TimeoutArgument.init)
  var timeout: TimeoutArgument?

  @Flag(help: "Print JSON Lines, one object for each scenario.")
  var json = false

  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs requires a number from 1.") }
    if !(1...SuitePlan.repeatMax).contains(repeats) {
      throw ValidationError("--repeat requires a number from 1 to \(SuitePlan.repeatMax).")
    }
    if flaky && repeats == 1 { throw ValidationError("--flaky requires --repeat.") }
    if update && repeats > 1 {
      throw ValidationError("--update cannot be combined with --repeat.")
    }
    if list && (json || junit != nil || artifacts != nil || page.report != nil) {
      throw ValidationError(
        "--list cannot be combined with --json, --junit, --artifacts or --report.")
    }
    try page.check()
    if junit == "-" && json {
      throw ValidationError("--json and --junit - cannot both use standard output.")
    }
    if paths.contains("-") {
      throw ValidationError("test reads files and folders; it cannot read standard input.")
    }
  }

  func run() throws {
    let (all, refused) = SuiteFiles.read(paths)
    let plan = SuitePlan(
      all, filter: filter, shard: shard.map { .init(index: $0.index, count: $0.count) },
      repeats: repeats)
    for failure in refused { Console.report(failure.message) }
    if plan.isEmpty, refused.isEmpty, let filter {
      throw Failure(
        .noInput,
        "error: no scenario has \(PlainText.quoted(filter)) in its path or name; --list shows all")
    }
    if list {
      for test in plan.tests { try Console.write(test.title) }
      return try end(with: SuiteReport(plan, refused: refused).status)
    }
    try run(plan, refused)
  }

  private func run(_ plan: SuitePlan, _ refused: [Failure]) throws {
    let junitFile = try junit.map { (path) throws(Failure) in try OutputSlot(path) }
    var folders = try artifacts.map { (path) throws(Failure) in try SuiteArtifacts(path) }
    let pageFile = try page.open()
    var failures = SuitePage()
    var report = SuiteReport(plan, refused: refused, isFlaky: flaky)
    let stopwatch = ContinuousClock().now
    let progress = Progress(total: plan.runs.count, isShown: !talk.quiet)
    var runner = SuiteRunner(plan, program: [ProgramPath.current]) {
      try Self.source($0)
    }
    if let jobs { runner.jobs = jobs }
    runner.timeout = timeout.map { $0.interval ?? .zero }
    runner.updates = update
    runner.keepsTraces = artifacts != nil || pageFile != nil
    let showsText = !json && junit != "-"
    var trouble: Failure?
    let signal = try runner.run { (result) throws(Failure) in
      progress.finish(1)
      let title = report.nextTitle
      let text = report.take(result, isVerbose: talk.verbose)
      progress.clear()
      if json, result.outcome != .ended { try Console.write(report.lastJSON) }
      if showsText, let text { try Console.write(text: text) }
      guard result.status != .agree else { return }
      if pageFile != nil { failures.add(result, title) }
      guard trouble == nil else { return }
      do throws(Failure) {
        try folders?.write(result, title)
      } catch {
        // The scenarios are worth more than their folders.
        trouble = error
      }
    }
    progress.clear()
    let elapsed = ContinuousClock().now - stopwatch
    if showsText && !talk.quiet { try Console.write(text: report.summary(in: elapsed)) }
    try junitFile?.write(JUnitText.text(of: report.junit))
    if let pageFile {
      try failures.write(to: pageFile, summary: report.summary(in: nil))
    }
    try Console.flush()
    if let trouble, signal == nil { throw trouble }
    try end(with: signal.map { .signal($0) } ?? report.status)
  }

  /// Creates the device that a scenario's options select.
  private static func source(_ options: [String]) throws(Failure) -> any DeviceSource {
    do {
      return try DeviceOptions.parse(options).source()
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.usage, "error: \(DeviceOptions.message(for: error))")
    }
  }

  private func end(with status: ExitStatus) throws {
    if status != .agree { throw Failure(status) }
  }
}
