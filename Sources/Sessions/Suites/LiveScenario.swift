import Devices
import Engine
import Judging
import Platform
import Sketches
import Synchronization
import SystemPackage
import Traces

/// Runs a live scenario: its sender is a command.
struct LiveScenario: Sendable {
  let test: SuiteTest
  /// How long a sender can take if its scenario states no time; zero for no limit.
  var timeout = LiveScenario.usualTimeout
  /// Whether the session is kept as a trace if it fails.
  let keepsTrace: Bool
  /// Whether a trace that the session disagrees with is rewritten.
  let updates: Bool

  static let usualTimeout = Interval.seconds(60)

  private var scenario: Scenario { test.scenario }

  /// How long the sender can take; nil for no limit.
  var limit: Interval? {
    let limit = scenario.length ?? scenario.timeout ?? timeout
    return limit == .zero ? nil : limit
  }

  /// Where the scenario's sender finds the pty; nil for a place of its own.
  var link: String? {
    // Two scenarios that name the same place in different ways run one after the other.
    scenario.pty.map { FilePath(test.resolved($0)).lexicallyNormalized().string }
  }

  /// Runs the session on the calling thread. It ends at a signal that arrives at `signals`, which
  /// also receives a SIGCHLD when a sender has ended.
  func run(on source: any DeviceSource, signals: FileDescriptor) -> SuiteResult {
    let stopwatch = ContinuousClock().now
    var result: SuiteResult
    do {
      let plan = try plan(on: source)
      let outcome = try LiveRun(plan, for: .suite(signals: signals)).run()
      result = SuiteResult(outcome)
      if result.status != .agree, result.wrongSpeed == nil {
        result.wrongSpeed =
          source.speedNotes(
            at: plan.session.baud, speed: source.findSpeed(), "the scenario is"
          ).first
      }
      // The session of a device that failed, or one that was cut off, must not become the
      // expectation.
      let isWhole = outcome.failure.map { $0.status == .disagree } ?? true
      if updates, isWhole, let trace = outcome.trace { try result.update(test) { trace } }
      if keepsTrace, result.status != .agree { result.trace = outcome.trace }
    } catch {
      result = SuiteResult(Failure(any: error))
    }
    result.elapsed = ContinuousClock().now - stopwatch
    return result
  }

  /// The settings of the session.
  func plan(on source: some DeviceSource) throws(Failure) -> LivePlan {
    var plan = try HostedPlan(test.stated(), on: source).live()
    plan.link = link
    if case .command(let command) = scenario.sender { plan.command = ["sh", "-c", command] }
    plan.commandFolder = test.folder.isEmpty ? nil : test.folder
    plan.end = scenario.length.map { .zero + .microseconds($0.nanoseconds / 1_000) }
    if plan.end == nil { plan.commandLimit = limit }
    plan.reportsSender = true
    plan.keepsOutput = true
    plan.keepsTrace = keepsTrace || updates
    plan.rules = RuleFile(path: test.path, rules: test.rules(updates: updates))
    return plan
  }
}

extension SuiteResult {
  /// The result of a live session.
  init(_ outcome: LiveOutcome) {
    self.init(.passed)
    if let fault = outcome.fault {
      add(SuiteFailure(Failure(fault).message))
    } else if outcome.sender == nil {
      add(SuiteFailure("the session ended before the sender was started"))
    }
    // A sender that is stopped can end with status 0.
    let isLate = outcome.failure?.status == .timeout
    if let sender = outcome.sender, sender.hasFailed || sender.ending == .interrupted || isLate {
      add(SuiteFailure(sender.sentence))
    }
    if let rules = outcome.rules {
      for failure in rules.failures { add(SuiteFailure(failure)) }
      ruleCount = rules.rules.count
      meant = rules.meant
    }
    if status != .agree {
      wrongSpeed = (outcome.wrongSpeed ?? outcome.rules?.wrongSpeed)?.text
    }
    sender = outcome.sender
    output = outcome.output
  }
}

/// The session of a live scenario, on a thread of its own.
final class SuiteBench: Sendable {
  /// The two ends of the pipe through which the session receives signals.
  private let signals: Descriptor
  private let signalsEnd: Descriptor
  private let ended = Mutex<SuiteResult?>(nil)

  private init() throws(Failure) {
    do throws(Errno) {
      let system = HostSystem.shared
      let pipe = try system.pipe()
      signals = Descriptor(pipe.readEnd, of: system)
      signalsEnd = Descriptor(pipe.writeEnd, of: system)
      for end in [pipe.readEnd, pipe.writeEnd] { system.makeNonblocking(end) }
    } catch {
      throw Failure(.unavailable, "error: cannot create a pipe for a bench: \(error)")
    }
  }

  /// Starts the session. Its end wakes whoever waits for signals.
  static func start(
    _ scenario: LiveScenario, on source: any DeviceSource
  ) throws(Failure) -> SuiteBench {
    let bench = try SuiteBench()
    let isStarted = WorkerThread.start {
      let result = scenario.run(on: source, signals: bench.signals.value)
      bench.ended.withLock { $0 = result }
      SignalQueue.wake()
    }
    guard isStarted else {
      throw Failure(.unavailable, "error: cannot create a thread for a bench")
    }
    return bench
  }

  /// The result; nil while the session is running.
  var result: SuiteResult? { ended.withLock { $0 } }

  /// Passes a signal on to the session.
  func send(_ number: CInt) {
    // If the pipe is full, enough signals are queued already.
    try? HostSystem.shared.writeAll(signalsEnd.value.rawValue, [UInt8(number)])
  }
}
