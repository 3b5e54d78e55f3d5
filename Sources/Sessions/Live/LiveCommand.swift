import Devices
import Platform
import Serial
import SystemPackage
import Turret

/// The command after `--` in a live session. It is started once and ended with the session.
final class LiveCommand {
  /// How long the command has to end after SIGTERM, before SIGKILL.
  private static let grace = Interval.seconds(2)
  /// How often the command is checked after SIGKILL.
  private static let killedPeriod = Interval.milliseconds(10)

  private let words: [String]
  private let environment: [(name: String, value: String)]
  private var child: ChildProcess?

  /// `words` is empty if there is no command.
  init(_ words: [String], environment: [(name: String, value: String)]) {
    self.words = words
    self.environment = environment
  }

  /// How it ended; nil if there is none or it is still running.
  var status: ExitStatus? { child?.status ?? nil }

  func start() throws(Failure) {
    if !words.isEmpty { child = try ChildProcess.start(words, adding: environment) }
  }

  /// Checks whether it has ended.
  func updateStatus() { child?.updateStatus() }

  /// Ends it if it is still running: SIGTERM, and after some time SIGKILL. Its end is read from
  /// `signals`.
  func end(signals: FileDescriptor) {
    child?.updateStatus()
    guard child != nil, status == nil else {
      child?.killGroup()
      return
    }
    child?.send(SIGTERM)
    let deadline = HostTime.now + Self.grace
    var wasKilled = false
    while status == nil {
      let left = deadline - .now
      if left <= .zero, !wasKilled {
        child?.send(SIGKILL)
        wasKilled = true
      }
      _ = Poller.wait([signals], timeout: wasKilled ? Self.killedPeriod : left)
      _ = SignalQueue.take(from: signals)
      child?.updateStatus()
    }
    child?.killGroup()
  }
}
