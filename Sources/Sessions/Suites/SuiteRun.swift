package import Devices
import Engine
import Pictures
import Platform
package import Sketches
import Traces

/// Runs the scenarios of files and folders, and prints and writes the results.
package struct SuiteRun {
  private let paths: [String]
  /// Creates the device that options such as `--device=model` select.
  private let makeSource: ([String]) throws(Failure) -> any DeviceSource
  /// The text that the path or the name of a scenario must contain; nil to run all.
  package var filter: String?
  package var shard: Shard?
  package var repeats = 1
  /// The seed of each scenario's first run; nil for its own.
  package var seed: UInt64?
  /// Whether the number of failures of each scenario is reported.
  package var isFlaky = false
  /// Whether the scenarios are listed instead of run.
  package var lists = false
  /// The number of scenarios to run at once; nil for one for each processor.
  package var jobs: Int?
  /// How long a sender can take if its scenario states no time; zero for no limit, nil for the
  /// default.
  package var timeout: Interval?
  /// Whether traces that sessions disagree with are rewritten.
  package var updates = false
  package var junit: String?
  /// The file for a Code Quality report, which GitLab reads; nil for none.
  package var codeQuality: String?
  /// Whether GitHub Actions is told of failures, in annotations and in a summary of the job.
  package var isOnGitHub = false
  /// The folder for the artifacts of scenarios that fail; nil for none.
  package var artifacts: String?
  package var page: ReportFile?
  /// Where failed sessions are kept, and which scenarios failed; nil for nowhere.
  package var cache: SessionCache?
  /// Whether those of this run are kept.
  package var keeps = true
  /// The longest session in virtual time that is kept: hours of one would fill the memory.
  private static let keptMax = Interval.seconds(300)
  /// Whether only the scenarios are run that failed in the last suite in the working folder. If
  /// there are no paths, they are in its files and folders.
  package var rerunsFailed = false
  package var printsJSON = false
  package var verbosity = Verbosity.normal

  package init(
    _ paths: [String], makeSource: @escaping ([String]) throws(Failure) -> any DeviceSource
  ) {
    self.paths = paths
    self.makeSource = makeSource
  }

  /// Runs all scenarios, prints the results, and throws the worst status.
  package func run() throws {
    var paths = paths
    var wanted: SessionCache.FailedSuite?
    if rerunsFailed {
      let last = try lastSuite()
      if last.isEmpty {
        return Console.report("No scenario failed in the last run in this folder.")
      }
      if paths.isEmpty { paths = last.paths }
      wanted = last
    }
    let (all, refused) = SuiteFiles.read(paths)
    let plan = SuitePlan(
      wanted?.tests(in: all) ?? all, filter: filter, shard: shard, repeats: repeats, seed: seed)
    for file in refused { Console.report(text: file.message) }
    if plan.isEmpty, refused.isEmpty, wanted != nil, filter == nil {
      throw Failure(
        .noInput, "error: none of the scenarios that failed in the last run is in these files")
    }
    if plan.isEmpty, refused.isEmpty, let filter {
      throw Failure(
        .noInput,
        "error: no scenario has \(PlainText.quoted(filter)) in its path or name; --list shows all")
    }
    if lists {
      for test in plan.tests { try Console.write(test.title) }
      return try end(with: SuiteReport(plan, refused: refused).status)
    }
    try run(plan, refused, in: paths, wanted)
  }

  private func lastSuite() throws(Failure) -> SessionCache.FailedSuite {
    guard let last = cache?.failedSuite else {
      throw Failure(
        .noInput,
        "error: no run of test in this folder is known; the last one is kept, except in CI and "
          + "with --no-keep")
    }
    return last
  }

  /// `wanted` is what failed in the last suite, if only this is run.
  private func run(
    _ plan: SuitePlan, _ refused: [RefusedFile], in paths: [String],
    _ wanted: SessionCache.FailedSuite?
  ) throws {
    try Outputs.spare(plan.tests.flatMap(\.inputs))
    let junitFile = try junit.map { (path) throws(Failure) in try OutputSlot(path) }
    let qualityFile = try codeQuality.map { (path) throws(Failure) in try OutputSlot(path) }
    var folders = try artifacts.map { (path) throws(Failure) in try SuiteArtifacts(path) }
    var failures = SuitePage(unreadCount: refused.count)
    var report = SuiteReport(plan, refused: refused, isFlaky: isFlaky)
    let stopwatch = ContinuousClock().now
    let progress = Progress(total: plan.runs.count, isShown: verbosity != .quiet)
    var runner = SuiteRunner(plan, makeSource: makeSource)
    if let jobs { runner.jobs = jobs }
    runner.timeout = timeout
    runner.updates = updates
    let cache = keeps ? cache : nil
    runner.keepsTraces = artifacts != nil || page != nil || cache != nil
    if artifacts == nil, page == nil { runner.keptMax = Self.keptMax }
    var kept: [[UInt8]] = []
    var (failed, finished): ([String], Set<String>) = ([], [])
    let showsText = !printsJSON && junit != "-"
    var trouble: Failure?
    let signal = try runner.run { (result) throws(Failure) in
      progress.finish(1)
      let title = report.nextTitle
      let test = plan.test(plan.runs[report.results.count])
      if let first = report.nextFirst, result.outcome != .ended { folders?.clear(first) }
      let text = report.take(result, isVerbose: verbosity == .verbose)
      progress.clear()
      if printsJSON, result.outcome != .ended { try Console.write(report.lastJSON) }
      if showsText, let text { try Console.write(text: text) }
      if result.outcome != .ended { finished.insert(test.title) }
      guard result.status != .agree else { return }
      if failed.last != test.title { failed.append(test.title) }
      if cache != nil, let trace = result.trace {
        kept = kept.suffix(SessionCache.countMax - 1) + [trace]
      }
      if page != nil { failures.add(result, title, of: test) }
      guard trouble == nil else { return }
      do throws(Failure) {
        let trace = try folders?.write(result, title) { () throws(Failure) in
          try makeSource(test.device)
        }
        if showsText, let trace, let command = test.shrinking(trace, result) {
          try Console.write("  the smallest session that fails: \(command)")
        }
      } catch {
        // The other scenarios matter more than their folders.
        trouble = error
      }
    }
    progress.clear()
    if let cache {
      // What was to be run again and was not has still failed.
      let rest = Set(wanted?.titles ?? []).subtracting(finished).sorted()
      let suite = SessionCache.FailedSuite(
        paths: paths, titles: failed + rest, unread: refused.map(\.path))
      let troubles = kept.map { cache.keep($0) } + [cache.keep(suite)]
      if verbosity != .quiet, let why = troubles.compactMap({ $0 }).first {
        Console.report("What failed is not kept for --rerun and last: \(why)")
      }
    }
    let elapsed = ContinuousClock().now - stopwatch
    if showsText && verbosity != .quiet { try Console.write(text: report.summary(in: elapsed)) }
    try junitFile?.write(JUnitText.text(of: report.junit))
    try qualityFile?.write(SuiteAnnotation.codeQuality(report.annotations))
    if isOnGitHub { GitHubJob.show(report, in: elapsed) }
    if let page {
      try failures.write(to: page, summary: report.summary(in: nil), on: makeSource)
    }
    try Console.flush()
    if let trouble, signal == nil { throw trouble }
    try end(with: signal.map { .signal($0) } ?? report.status)
  }

  private func end(with status: ExitStatus) throws {
    if status != .agree { throw Failure(status) }
  }
}

/// The page about the scenarios of a suite that failed.
package struct SuitePage {
  /// The maximum number of failures that a page lists.
  private static let failuresMax = 500

  private struct Failed {
    let title: String
    let test: SuiteTest
    let verdict: ReportVerdict
    /// The session; nil if it is not shown.
    let trace: [UInt8]?
  }

  private var failures: [Failed] = []
  private var count = 0
  /// The number of files whose scenarios could not be run.
  private let unreadCount: Int

  package init(unreadCount: Int = 0) { self.unreadCount = unreadCount }

  /// Takes a run that failed.
  package mutating func add(_ result: SuiteResult, _ title: String, of test: SuiteTest) {
    count += 1
    guard failures.count < Self.failuresMax else { return }
    let text = SuiteReport.text(result, title, isVerbose: false) ?? ""
    var verdict: ReportVerdict
    if case .error(_, let message) = result.outcome {
      verdict = ReportVerdict(.open, "not judged", message)
    } else {
      let first = result.failures.first
      // The first line has the place, and what was required.
      let line = first.map { $0.text.prefix { $0 != "\n" } } ?? "The scenario failed."
      let others = max(0, result.failures.count - 1)
      verdict = ReportVerdict(
        .bad, "failed", others == 0 ? "\(line)" : "\(line), and \(others) more")
      verdict.text = text
    }
    // Only the first ones are shown with their traces, to keep the page small.
    let isShown = failures.count < ReportFile.shownMax
    failures.append(
      Failed(
        title: title, test: test, verdict: verdict, trace: isShown ? result.trace : nil))
  }

  /// Writes the page; `summary` is the suite's counts in lines. `makeSource` creates the device
  /// that a scenario's options select.
  package func write(
    to file: ReportFile, summary: String,
    on makeSource: ([String]) throws(Failure) -> any DeviceSource
  ) throws(Failure) {
    var entries: [ReportEntry] = []
    for failure in failures {
      var entry = ReportEntry(failure.title, failure.verdict)
      do {
        entry.report = try failure.trace.map { (trace) throws in
          let source = try makeSource(failure.test.device)
          return try file.session(trace, named: failure.title, on: source)
        }
      } catch let error as TraceError {
        // The failure matters more than its picture.
        entry.verdict.details.append("The session cannot be shown: \(error.description).")
      } catch {
        entry.verdict.details.append("The session cannot be shown.")
      }
      entries.append(entry)
    }
    var text = summary.split(separator: "\n").joined(separator: " ")
    if count > failures.count { text += " This page lists the first \(failures.count) failures." }
    let heading =
      switch (count, unreadCount) {
      case (0, 0): "No scenario failed"
      case (0, 1): "A file could not be read"
      case (0, _): "Files could not be read"
      default: "Scenarios that failed"
      }
    try file.write(entries, heading: heading, summary: text)
  }
}
