import Devices
import Platform
import Serial
import SystemPackage
import Turret

/// The command after `--` in a live session: started once, and gone when the session is.
final class LiveCommand {
  /// How long it is given to end after SIGTERM, before SIGKILL.
  private static let grace = Interval.seconds(2)
  /// After SIGKILL it is looked for so often.
  private static let killedPeriod = Interval.milliseconds(10)

  private let words: [String]
  private let environment: [(name: String, value: String)]
  private var child: ChildProcess?

  /// `words`: empty where there is none.
  init(_ words: [String], environment: [(name: String, value: String)]) {
    self.words = words
    self.environment = environment
  }

  /// How it ended; nil: there is none, or it has not.
  var status: ExitStatus? { child?.status ?? nil }

  func start() throws(Failure) {
    if !words.isEmpty { child = try ChildProcess.start(words, adding: environment) }
  }

  /// Looks whether it has ended.
  func look() { child?.look() }

  /// Ends it, should it still be there: SIGTERM, and after some time SIGKILL. `signals` tells of
  /// its end.
  func end(signals: FileDescriptor) {
    child?.look()
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
      child?.look()
    }
    child?.killGroup()
  }
}
