import Devices
import Engine
import Platform
import Sketches
import SystemPackage

/// The command after `--` in a live session. It is started once and ended with the session.
final class LiveCommand {
  private let plan: LivePlan
  private let environment: [(name: String, value: String)]
  private let system: any SystemCalls
  private var child: ChildProcess?
  /// What it prints; nil if that does not pass through the bench.
  private(set) var output: SenderOutput?
  /// Whether it was running when the session ended.
  private var wasStopped = false
  /// When it was started, and when its end was noticed.
  private var begin: HostTime
  private var ended: HostTime?

  init(
    _ plan: LivePlan, environment: [(name: String, value: String)], on system: any SystemCalls
  ) {
    self.plan = plan
    self.environment = environment
    self.system = system
    begin = system.now
  }

  /// How it ended; nil if there is none or it is still running.
  var status: ExitStatus? { child?.status ?? nil }

  func start() throws(Failure) {
    guard !plan.command.isEmpty else { return }
    if plan.reportsSender || plan.keepsOutput {
      output = try SenderOutput(keepsAll: plan.keepsOutput, on: system)
    }
    begin = system.now
    let ends = output?.writeEnds
    child = try ChildProcess.start(
      plan.command, adding: environment,
      wiring: .init(
        output: ends?.output, errors: ends?.errors, folder: plan.commandFolder,
        isCompanion: !plan.keepsOutput),
      on: system)
    output?.closeWriteEnds()
  }

  /// Returns how it ended, in a session with this ending; nil if it was not started.
  func report(_ ending: SessionLife.Ending, limit: Interval?) -> SenderReport? {
    guard let status else { return nil }
    let signal = child?.endingSignal ?? nil
    let tail = output?.errors ?? ErrorTail()
    let how: SenderReport.Ending =
      switch ending {
      case .commandTimeout(let limit): .stopped(after: limit)
      case .time where wasStopped: limit.map { .stopped(after: $0) } ?? .interrupted
      case .signal where wasStopped, .fault where wasStopped, .key where wasStopped: .interrupted
      default: signal.map { .signal($0) } ?? .ended(status)
      }
    var report = SenderReport(how, status: status, errors: tail)
    report.length = (ended ?? system.now) - begin
    return report
  }

  /// Checks whether it has ended.
  func updateStatus() {
    child?.updateStatus()
    if status != nil, ended == nil { ended = system.now }
  }

  /// Ends it if it is still running: SIGTERM, and after some time SIGKILL. Its end is noticed
  /// through `signals`.
  func end(signals: FileDescriptor) {
    child?.updateStatus()
    if child != nil, status == nil { wasStopped = true }
    child?.end(
      or: { ([signals] + (output?.descriptors ?? [])).map(\.rawValue) },
      while: {
        _ = SignalQueue.take(from: signals, on: system)
        output?.pass()
        return true
      })
    output?.finish()
  }
}
