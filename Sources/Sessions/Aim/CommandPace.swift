import Aim
import Turret

/// At most so many commands a second; of those that have to wait the newest goes, once it is due.
/// Knows no clock: it is told the time, which never decreases.
struct CommandPace {
  /// A command and when it goes.
  struct Sent: Hashable {
    var time: Instant
    var command: TurretCommand
  }

  /// Between two commands; nil: nothing has to wait.
  private let interval: Interval?
  private var last: Sent?
  private var waiting: TurretCommand?

  /// `rate` is in commands a second.
  init(rate: Double?) {
    interval = rate.map { Interval(nanoseconds: Int64((1e9 / $0).rounded(.up))) }
  }

  /// When the command that waits goes; nil: none waits.
  var due: Instant? {
    guard waiting != nil, let interval, let last else { return nil }
    return last.time + interval
  }

  /// What has become due before `time`.
  mutating func advance(to time: Instant) -> Sent? {
    guard let due, due < time else { return nil }
    return send(at: due)
  }

  /// The turret is to do this from now on; gives what goes at once.
  mutating func take(_ command: TurretCommand, at time: Instant) -> Sent? {
    waiting = command == last?.command ? nil : command
    guard waiting != nil else { return nil }
    if let due, due > time { return nil }
    return send(at: time)
  }

  /// What still waits at the end.
  mutating func finish() -> Sent? { due.flatMap { send(at: $0) } }

  private mutating func send(at time: Instant) -> Sent? {
    guard let command = waiting else { return nil }
    waiting = nil
    last = Sent(time: time, command: command)
    return last
  }
}
