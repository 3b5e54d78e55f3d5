package import Devices
import Engine
import Judging
import Platform
package import Sketches
import SystemPackage
import Traces

/// Runs a suite: first the scenarios in virtual time, then the live ones, each with a bench of its
/// own.
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
  /// The longest session in virtual time that is kept; nil for any.
  var keptMax: Interval?
  /// Creates the device that options such as `--device=model` select.
  package var makeSource: ([String]) throws(Failure) -> any DeviceSource

  package init(
    _ plan: SuitePlan, makeSource: @escaping ([String]) throws(Failure) -> any DeviceSource
  ) {
    self.plan = plan
    self.makeSource = makeSource
  }

  /// Runs all scenarios. Passes each result on in the plan's order, as soon as those before it are
  /// known. Returns the signal that ended the suite; nil if none did.
  package func run(
    inOrder handle: (SuiteResult) throws(Failure) -> Void
  ) throws(Failure) -> CInt? {
    let signals = try SignalQueue.open([SIGCHLD, SIGCONT])
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
    try Workers.run(runs, jobs: jobs) { [plan, timeout, keepsTraces, updates, keptMax] run in
      guard !SignalQueue.isEnding else { return (run, SuiteResult(.ended)) }
      let test = plan.test(plan.runs[run])
      let session = VirtualSession(
        test: test, timeout: timeout, keepsTrace: keepsTraces, updates: updates, keptMax: keptMax)
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

  /// The number of descriptors that a live session and its clients use at most, usually.
  private static let descriptorsPerSession = 32

  private func runLive(
    _ runs: [Int], _ signals: FileDescriptor, _ put: (SuiteResult, Int) throws(Failure) -> Void
  ) throws(Failure) -> CInt? {
    let scenarios = runs.map { run in
      LiveScenario(
        test: plan.test(plan.runs[run]), timeout: timeout ?? LiveScenario.usualTimeout,
        keepsTrace: keepsTraces, updates: updates)
    }
    var schedule = SuiteSchedule(
      jobs: liveJobs(runs.count), limits: scenarios.map(\.limit), links: scenarios.map(\.link))
    var benches: [Int: SuiteBench] = [:]
    // None is left unless a result could not be passed on.
    defer { for bench in benches.values { bench.send(SIGTERM) } }
    // The threads of the sessions inherit it.
    HostSystem.shared.sharpenTimers()
    var signal = SignalQueue.ending(from: signals)
    var events: [SuiteSchedule.Event] = [signal == nil ? .time : .request]
    while true {
      while !events.isEmpty {
        for action in schedule.take(events.removeFirst(), at: .now) {
          switch action {
          case .start(let index):
            do throws(Failure) {
              let source = try makeSource(scenarios[index].test.device)
              benches[index] = try SuiteBench.start(scenarios[index], on: source)
            } catch {
              try put(SuiteResult(error), runs[index])
              events.append(.ended(index))
            }
          case .stop(let index): benches[index]?.send(SIGTERM)
          case .abandon(let index):
            benches[index] = nil
            let result = SuiteResult(.error(.unavailable, "error: the bench does not end"))
            try put(signal == nil ? result : SuiteResult(.ended), runs[index])
          }
        }
      }
      if schedule.isDone { return signal }
      _ = HostSystem.shared.wait(
        for: [signals.rawValue], timeout: schedule.deadline.map { $0 - .now })
      for number in SignalQueue.take(from: signals) {
        if SignalQueue.ending.contains(number) {
          signal = number
          events.append(.request)
        } else if number == SIGCHLD || number == SIGCONT {
          for bench in benches.values { bench.send(number) }
        }
      }
      for (index, bench) in benches {
        guard let result = bench.result else { continue }
        benches[index] = nil
        events.append(.ended(index))
        try put(signal == nil ? result : SuiteResult(.ended), runs[index])
      }
      events.append(.time)
    }
  }

  /// How many of `count` live sessions run at once: no more than there are descriptors for.
  private func liveJobs(_ count: Int) -> Int {
    let wanted = min(jobs, count)
    let room = FileDescriptor.opening(wanted * Self.descriptorsPerSession)?.opened
    return room.map { max(1, $0 / Self.descriptorsPerSession) } ?? wanted
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
