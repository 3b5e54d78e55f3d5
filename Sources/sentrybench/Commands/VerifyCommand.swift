import ArgumentParser
import Devices
import Files
import Pictures
import Serial
import Sessions
import Traces
import Turret
import Verification

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Replay traces, or folders of them, and compare.",
    discussion: """
      The inputs of each trace are fed to the device, and its outputs are compared with those in \
      the trace. A folder stands for every *.jsonl file below it. A trace with uncertain times \
      agrees if it agrees in every timing that was replayed; if only in some, or if it has no \
      outputs, it is undecided, which is status 1.
      """)

  @Argument(help: "Traces and folders; - is standard input.")
  var paths: [String]

  @OptionGroup var deviceOptions: DeviceOptions

  @Option(
    help: "The allowed error of an output's time, for example 200us. Overrides the traces' own.",
    transform: TimeArgument.init)
  var tolerance: TimeArgument?

  @OptionGroup var worldOptions: WorldOptions

  @Option(
    help: ArgumentHelp(
      """
      Write the timing that agrees and is nearest to the recorded times to this file, as a trace.
      """, valueName: "trace"))
  var best: String?

  @OptionGroup var ruleOptions: RuleOptions

  @Flag(help: "Rewrite the outputs of traces that disagree, with those of the device.")
  var update = false

  @Option(help: "Write a JUnit report to this file.")
  var junit: String?

  @OptionGroup var page: ReportOptions

  @Flag(help: "Print JSON Lines, one object for each trace.")
  var json = false

  @Option(help: "The number of traces to verify at once. Default: one for each processor.")
  var jobs: Int?

  @Option(help: "Verify only the I-th (from 1) of N parts, for example 1/4.")
  var shard: ShardArgument?

  @OptionGroup var length: LengthOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs requires a number from 1.") }
    if update && shard != nil { throw ValidationError("--update cannot be combined with --shard.") }
    if update && ruleOptions.areGiven {
      throw ValidationError("--update cannot be combined with --rules or --strict.")
    }
    if ruleOptions.areGiven && paths.contains("-") {
      throw ValidationError(
        "--rules and --strict require a file: standard input cannot be read twice.")
    }
    if best != nil && (paths.count != 1 || update) {
      throw ValidationError("--best requires one trace, and cannot be combined with --update.")
    }
    if best == "-" && (json || junit == "-") {
      throw ValidationError("--best - cannot share standard output with --json or --junit -.")
    }
    try page.check(paths: paths)
    if junit == "-" && json {
      throw ValidationError("--json and --junit - cannot both use standard output.")
    }
  }

  func run() throws { try verify(on: deviceOptions.source()) }

  private func verify(on source: some DeviceSource) throws {
    var verification = Verification()
    if update && !source.isVirtual {
      throw ValidationError("--update requires a device in virtual time: a board's times vary.")
    }
    verification.firmware = deviceOptions.firmware
    verification.tolerance = tolerance?.interval
    let rules = try ruleOptions.read()

    var all = paths.flatMap { FoundFiles.find($0) }
    if update {
      // A trace named twice is rewritten only once.
      var seen: Set<String> = []
      all.removeAll { !seen.insert($0.path).inserted }
    }
    let chosen =
      shard.map { shard in
        all.enumerated().filter { $0.offset % shard.count == shard.index - 1 }.map(\.element)
      } ?? all
    let pageFile = try page.open()
    let junitFile = try junit.map { path throws(Failure) in try OutputSlot(path) }
    let stopwatch = ContinuousClock().now
    let progress = Progress(total: chosen.reduce(0) { $0 + $1.size }, isShown: !talk.quiet)
    var reports: [TraceReport] = []
    var reported: Set<String> = []
    let jobs = min(jobs ?? Workers.processorCount, source.sessionCountMax ?? .max)
    var worlds = worldOptions.run
    // Several traces already use all processors.
    worlds.jobs = chosen.count == 1 ? jobs : 1
    if best != nil, chosen.count != 1 {
      throw ValidationError("--best requires one trace; \(paths[0]) has \(chosen.count).")
    }
    let bestFile = try best.map { path throws(Failure) in try OutputSlot(path) }
    let speed = source.findSpeed()
    try Workers.run(chosen, jobs: jobs) {
      [verification, worlds] file in
      verify(file, on: source, speed, verification, worlds, rules, progress)
    } inOrder: { (report, best) throws(Failure) in
      progress.clear()
      talk.report(report.notes, about: report.path)
      for remark in report.verdict?.remarks ?? [] where reported.insert(remark).inserted {
        if !talk.quiet { Console.report(remark) }
      }
      if self.best != "-" { try show(report) }
      if let bestFile {
        if let best {
          try bestFile.write(String(decoding: best, as: UTF8.self))
        } else if report.failure == nil, !talk.quiet {
          Console.report(Self.noBest(report))
        }
      }
      reports.append(report)
    }
    progress.clear()
    let elapsed = ContinuousClock().now - stopwatch
    if !json && junit != "-" && best != "-" && !talk.quiet {
      try Console.write(TraceReport.summary(of: reports, in: elapsed))
    }
    try junitFile?.write(JUnit.report(reports, of: "verify", in: elapsed))
    if let pageFile {
      let summary = TraceReport.summary(of: reports, in: nil)
      try write(pageFile, reports, summary, verification.firmware, source)
    }
    try Console.flush()
    let worst = reports.map(\.status).max { $0.rank < $1.rank } ?? .agree
    if worst != .agree { throw Failure(worst) }
  }

  private func verify(
    _ file: FoundFile, on source: some DeviceSource, _ speed: Int?,
    _ verification: Verification, _ worlds: WorldsRun, _ rules: RuleFile?, _ progress: Progress
  ) -> (report: TraceReport, best: [UInt8]?) {
    let stopwatch = ContinuousClock().now
    defer { progress.finish(file.size) }
    var report = TraceReport(path: file.path)
    var best: [UInt8]?
    report.program = deviceOptions.chipPath
    do {
      if let error = file.error { throw error }
      let counter = progress.counter()
      var reader = try TraceReader(path: file.path)
      report.notes = reader.notes + source.speedNotes(reader.header, speed: speed)
      try length.limit(&reader)
      if let uncertainty = worlds.uncertainty(of: reader.header, on: source) {
        (report.verdict, best) = try worlds.judge(
          &reader, uncertainty: uncertainty, on: source, verification,
          findsNearest: self.best != nil)
      } else {
        report.verdict = try verification.verify(&reader, on: source) { counter.report($0) }
      }
      progress.take(back: counter)
      if let rules {
        var again = try TraceReader(path: file.path)
        report.rules = try rules.report(on: &again, verification.firmware, source)
      }
      if case .deviceFailed(let error) = report.verdict?.outcome {
        report.verdict = nil
        throw Failure(error, on: file.path)
      }
      if update, report.verdict?.canBeUpdated == true, report.verdict?.worlds == nil,
        // A trace stamped by a computer, or of a running board, cannot be rewritten from the model.
        reader.header.clock == .device, reader.header.start == .reset
      {
        report.update = try Update.rewrite(file.path, on: source, verification)
      }
    } catch let failure as Failure {
      report.failure = failure
    } catch let error as TraceError {
      report.failure = Failure(error)
    } catch {
      report.failure = Failure(.inputOutput, "\(file.path): error: \(error)")
    }
    report.elapsed = ContinuousClock().now - stopwatch
    return (report, best)
  }

  /// Why no nearest timing was written.
  private static func noBest(_ report: TraceReport) -> String {
    report.verdict?.worlds == nil
      ? "--best writes nothing: the trace states no uncertainty, and --uncertainty was not given"
      : "--best writes nothing: no timing that was replayed agrees"
  }

  /// Writes the page: of one trace, or of several with an index.
  private func write(
    _ file: ReportFile, _ reports: [TraceReport], _ summary: String, _ firmware: Firmware?,
    _ source: some DeviceSource
  ) throws {
    let verdicts = reports.map(\.pageVerdict)
    let shown = ReportFile.chosen(verdicts)
    var entries: [ReportEntry] = []
    for (index, report) in reports.enumerated() {
      var entry = ReportEntry(report.path, verdicts[index])
      if shown.contains(index), report.failure == nil {
        entry.report = try file.session(
          TraceInput(path: report.path), path: report.path, divergence: entry.verdict.divergence,
          firmware: firmware, on: source, named: deviceOptions.device)
        if let tolerance {
          entry.report?.set("Tolerance", String(readable: tolerance.interval))
        }
      }
      entries.append(entry)
    }
    let isAlone = entries.count == 1
    try file.write(
      entries, heading: isAlone ? nil : "Verified traces", summary: isAlone ? nil : "\(summary).")
  }

  private func show(_ report: TraceReport) throws(Failure) {
    if json { return try Console.write(report.json) }
    if let failure = report.failure {
      try Console.flush()
      Console.report(failure.message)
    } else if junit != "-", let text = report.text(isVerbose: talk.verbose) {
      try Console.write(text: text)
    }
  }
}
