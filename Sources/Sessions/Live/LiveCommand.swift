import Devices
import Engine
import Platform
import Sketches
import SystemPackage

/// The command after `--` in a live session. It is started once and ended with the session.
final class LiveCommand {
  private let words: [String]
  private let environment: [(name: String, value: String)]
  /// Whether its standard error is kept for the report.
  private let keepsErrors: Bool
  private let system: any SystemCalls
  private var child: ChildProcess?
  /// Its standard error; nil if it is not kept.
  private(set) var errors: SenderErrors?
  /// Whether it was running when the session ended.
  private var wasStopped = false
  /// When it was started, and when its end was noticed.
  private var begin: HostTime
  private var ended: HostTime?

  /// `words` is empty if there is no command.
  init(
    _ words: [String], environment: [(name: String, value: String)], keepsErrors: Bool,
    on system: any SystemCalls
  ) {
    self.words = words
    self.environment = environment
    self.keepsErrors = keepsErrors
    self.system = system
    begin = system.now
  }

  /// How it ended; nil if there is none or it is still running.
  var status: ExitStatus? { child?.status ?? nil }

  func start() throws(Failure) {
    guard !words.isEmpty else { return }
    if keepsErrors { errors = try SenderErrors(on: system) }
    begin = system.now
    child = try ChildProcess.start(
      words, adding: environment, wiring: .init(errors: errors?.writeEnd), on: system)
    errors?.closeWriteEnd()
  }

  /// Returns how it ended, in a session with this ending; nil if it was not started.
  func report(_ ending: SessionLife.Ending, limit: Interval?) -> SenderReport? {
    guard let status else { return nil }
    let signal = child?.endingSignal ?? nil
    let tail = errors?.tail ?? ErrorTail()
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
      or: { [signals.rawValue] + (errors?.descriptor.map { [$0.rawValue] } ?? []) },
      while: {
        _ = SignalQueue.take(from: signals, on: system)
        errors?.pass()
        return true
      })
    errors?.finish()
  }
}
