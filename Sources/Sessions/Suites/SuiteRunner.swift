package import Devices
import Engine
import Judging
import Platform
package import Sketches
import SystemPackage
import Traces

/// Runs a suite: the scenarios in virtual time in this process, and each live one with a bench of
/// its own in a process of its own.
package struct SuiteRunner {
  package var plan: SuitePlan
  /// The number of scenarios to run at once.
  package var jobs = Workers.processorCount
  /// How long a sender, or a session in virtual time, can take if its scenario states no time; zero
  /// for no limit, nil for the default.
  package var timeout: Interval?
  /// Whether traces that sessions disagree with are rewritten.
  package var updates = false
  /// Whether the sessions of runs that fail are kept.
  package var keepsTraces = false
  /// The command that starts this program.
  package var program: [String]
  /// Creates the device that options such as `--device=model` select.
  package var makeSource: ([String]) throws(Failure) -> any DeviceSource

  package init(
    _ plan: SuitePlan, program: [String],
    makeSource: @escaping ([String]) throws(Failure) -> any DeviceSource
  ) {
    self.plan = plan
    self.program = program
    self.makeSource = makeSource
  }

  /// Runs all scenarios. Passes each result on in the plan's order, as soon as those before it are
  /// known. Returns the signal that ended the suite; nil if none did.
  package func run(
    inOrder handle: (SuiteResult) throws(Failure) -> Void
  ) throws(Failure) -> CInt? {
    let signals = try SignalQueue.open([SIGCHLD])
    var ordered = OrderedResults()
    func put(_ result: SuiteResult, _ run: Int) throws(Failure) {
      var result = result
      result.advise(plan.test(plan.runs[run]))
      for result in ordered.put(result, at: run) { try handle(result) }
    }
    let runs = plan.runs.indices
    try runVirtual(runs.filter { plan.test(plan.runs[$0]).isVirtual }, put)
    let signal = try runLive(runs.filter { !plan.test(plan.runs[$0]).isVirtual }, signals, put)
    for result in ordered.finish(count: runs.count) { try handle(result) }
    return signal
  }

  // MARK: In virtual time

  private func runVirtual(
    _ runs: [Int], _ put: (SuiteResult, Int) throws(Failure) -> Void
  ) throws(Failure) {
    let sources = sources(runs)
    try Workers.run(runs, jobs: jobs) { [plan, timeout, keepsTraces, updates] run in
      guard !SignalQueue.isEnding else { return (run, SuiteResult(.ended)) }
      let test = plan.test(plan.runs[run])
      let session = VirtualSession(
        test: test, timeout: timeout, keepsTrace: keepsTraces, updates: updates)
      switch sources[test.device] {
      case .success(let source)?: return (run, session.run(on: source))
      case .failure(let failure)?: return (run, SuiteResult(failure))
      case nil: return (run, SuiteResult(.ended))
      }
    } inOrder: { (done: (run: Int, result: SuiteResult)) throws(Failure) in
      try put(done.result, done.run)
    }
  }

  /// Creates each device that the scenarios name, once.
  private func sources(_ runs: [Int]) -> [[String]: Result<any DeviceSource, Failure>] {
    var sources: [[String]: Result<any DeviceSource, Failure>] = [:]
    for run in runs {
      let device = plan.test(plan.runs[run]).device
      guard sources[device] == nil else { continue }
      do throws(Failure) {
        sources[device] = .success(try makeSource(device))
      } catch {
        sources[device] = .failure(error)
      }
    }
    return sources
  }

  // MARK: Live

  private func runLive(
    _ runs: [Int], _ signals: FileDescriptor, _ put: (SuiteResult, Int) throws(Failure) -> Void
  ) throws(Failure) -> CInt? {
    let commands = runs.map { command(plan.test(plan.runs[$0])) }
    var schedule = SuiteSchedule(
      jobs: jobs, limits: commands.map(\.limit),
      links: commands.map { $0.test.scenario.pty.map($0.test.resolved) })
    let recordings = runs.isEmpty || !(keepsTraces || updates) ? nil : try SuiteRecordings()
    var benches: [Int: SuiteBench] = [:]
    // None is left unless a result could not be passed on.
    defer { for bench in benches.values { bench.send(SIGTERM) } }
    var signal = SignalQueue.ending(from: signals)
    var events: [SuiteSchedule.Event] = [signal == nil ? .time : .request]
    while true {
      while !events.isEmpty {
        for action in schedule.take(events.removeFirst(), at: .now) {
          switch action {
          case .start(let index):
            do throws(Failure) {
              let recording = recordings?.path(index)
              benches[index] = try SuiteBench(commands[index], program, recording: recording)
            } catch {
              try put(SuiteResult(error), runs[index])
              events.append(.ended(index))
            }
          case .stop(let index): benches[index]?.send(SIGTERM)
          case .kill(let index): benches[index]?.send(SIGKILL)
          }
        }
      }
      if schedule.isDone { return signal }
      _ = HostSystem.shared.wait(
        for: ([signals] + benches.values.flatMap(\.descriptors)).map(\.rawValue),
        timeout: schedule.deadline.map { $0 - .now })
      if let number = SignalQueue.ending(from: signals) {
        signal = number
        events.append(.request)
      }
      for (index, bench) in benches {
        bench.read()
        guard bench.hasEnded() else { continue }
        benches[index] = nil
        events.append(.ended(index))
        let trace = recordings?.take(index)
        let result = signal == nil ? bench.finish() : SuiteResult(.ended)
        try put(finished(result, commands[index], trace), runs[index])
      }
      events.append(.time)
    }
  }

  private func command(_ test: SuiteTest) -> SuiteCommand {
    SuiteCommand(
      test: test, timeout: timeout ?? SuiteCommand.usualTimeout,
      isJudged: !test.isFirst(updates: updates))
  }

  /// Completes the result of a live session with what its recording shows.
  private func finished(
    _ result: SuiteResult, _ command: SuiteCommand, _ trace: [UInt8]?
  ) -> SuiteResult {
    var result = result
    guard let trace, result.outcome != .ended else { return result }
    do {
      if !command.isJudged {
        var reader = try TraceReader(text: trace, path: command.test.path)
        let rules = command.test.rules(withTraces: false).filter {
          if case .sender = $0.requirement { false } else { true }
        }
        let report = try RuleReport(rules, &reader) { (path) throws(TraceError) in
          try TraceReader(path: command.test.resolved(path))
        }
        result.ruleCount = report.rules.count
        for failure in report.failures { result.add(SuiteFailure(failure)) }
        result.wrongSpeed = result.wrongSpeed ?? report.wrongSpeed?.text
        result.meant = report.meant
      }
      if updates { try result.update(command.test) { trace } }
    } catch let error as TraceError {
      return SuiteResult(Failure(error))
    } catch {
      return SuiteResult(error as? Failure ?? Failure(.inputOutput, "error: \(error)"))
    }
    if keepsTraces, result.status != .agree { result.trace = trace }
    return result
  }
}

/// Results that become known in any order, and are passed on in the order of their indices.
struct OrderedResults {
  private var waiting: [Int: SuiteResult] = [:]
  private var next = 0

  /// Adds the result with this index. Returns those that can be passed on now.
  mutating func put(_ result: SuiteResult, at index: Int) -> [SuiteResult] {
    waiting[index] = result
    var ready: [SuiteResult] = []
    while let result = waiting.removeValue(forKey: next) {
      ready.append(result)
      next += 1
    }
    return ready
  }

  /// Returns the rest of `count` results. Those that never became known count as ended.
  mutating func finish(count: Int) -> [SuiteResult] {
    defer { next = count }
    return (next..<max(next, count)).map { waiting.removeValue(forKey: $0) ?? SuiteResult(.ended) }
  }
}

/// The recordings of a suite's live sessions, in a temporary folder that is removed with it.
final class SuiteRecordings {
  private let folder: PrivateFolder

  init() throws(Failure) {
    let parent = TemporaryFolder.path
    do throws(Errno) {
      folder = try PrivateFolder(in: parent)
    } catch {
      throw Failure(writing: parent, error)
    }
  }

  /// The path for a run's recording.
  func path(_ run: Int) -> String { "\(folder.path)/\(run).jsonl" }

  /// Returns a run's recording and removes it; nil if there is none.
  func take(_ run: Int) -> [UInt8]? {
    // The recording of a sender that failed has another name.
    let paths = [path(run), "\(folder.path)/\(run).failed.jsonl"]
    defer { for path in paths { unlink(path) } }
    for path in paths {
      if let contents = try? InputFile.contents(of: path, wanting: "a trace") { return contents }
    }
    return nil
  }
}
