package import Sketches

/// Limits commands to a maximum rate. Of the commands that have to wait, only the newest is sent
/// when due. The caller passes the time, which never decreases.
package struct CommandPace: Hashable, Sendable {
  /// A command and when it is sent.
  package struct Sent: Hashable {
    package var time: Instant
    package var command: TurretCommand
  }

  /// The minimum time between two commands; nil if nothing has to wait.
  private let interval: Interval?
  private var last: Sent?
  private var waiting: TurretCommand?
  /// When something else was sent that the rate counts, too.
  private var passed: Instant?

  /// `rate` is in commands a second.
  package init(rate: Double?) {
    interval = rate.map { Interval(nanoseconds: Int64((1e9 / $0).rounded(.up))) }
  }

  /// When the waiting command is due; nil if none waits.
  package var due: Instant? {
    waiting == nil ? nil : free
  }

  /// From when on something can be sent; nil if it can at any time.
  private var free: Instant? {
    guard let interval, let time = [last?.time, passed].compactMap(\.self).max() else { return nil }
    return time + interval
  }

  /// Counts something else that is sent now. Returns whether that is possible.
  package mutating func pass(at time: Instant) -> Bool {
    if let free, free > time { return false }
    passed = time
    return true
  }

  /// Returns the command that became due before `time`.
  package mutating func advance(to time: Instant) -> Sent? {
    guard let due, due < time else { return nil }
    return send(at: due)
  }

  /// Takes what the turret must do from now on. Returns what is sent at once.
  package mutating func take(_ command: TurretCommand, at time: Instant) -> Sent? {
    waiting = command == last?.command ? nil : command
    guard waiting != nil else { return nil }
    if let due, due > time { return nil }
    return send(at: time)
  }

  /// Returns the command that still waits at the end.
  package mutating func finish() -> Sent? { due.flatMap { send(at: $0) } }

  private mutating func send(at time: Instant) -> Sent? {
    guard let command = waiting else { return nil }
    waiting = nil
    last = Sent(time: time, command: command)
    return last
  }
}
