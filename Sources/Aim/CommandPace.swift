package import Sketches

/// Limits commands to a maximum rate, and sends none twice in a row. Of the commands that have to
/// wait, only the newest is sent when due. The caller passes the time in seconds since any moment;
/// it never decreases.
public struct CommandPace<Command: Hashable & Sendable>: Hashable, Sendable {
  /// A command and when it is sent.
  package struct Sent: Hashable, Sendable {
    package var time: Instant
    package var command: Command
  }

  /// The minimum time between two commands; nil if nothing has to wait.
  private let interval: Interval?
  private var lastSent: Sent?
  private var waiting: Command?
  /// When something else was sent that the rate counts, too.
  private var passed: Instant?

  /// `rate` is in commands a second; nil for no limit. A rate below 0.001, and what is not a
  /// number, counts as 0.001.
  public init(rate: Double?) {
    interval = rate.map { rate in
      Interval(nanoseconds: Int64((1e9 / (rate > 0.001 ? rate : 0.001)).rounded(.up)))
    }
  }

  /// The last command that was sent.
  public var last: Command? { lastSent?.command }

  /// When the waiting command is due; nil if none waits.
  package var due: Instant? {
    waiting == nil ? nil : free
  }

  /// From when on something can be sent; nil if it can at any time.
  private var free: Instant? {
    let times = [lastSent?.time, passed].compactMap { $0 }
    guard let interval, let time = times.max() else {
      return nil
    }
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
  package mutating func take(_ command: Command, at time: Instant) -> Sent? {
    waiting = command == lastSent?.command ? nil : command
    guard waiting != nil else { return nil }
    if let due, due > time { return nil }
    return send(at: time)
  }

  /// Returns the command that still waits at the end.
  package mutating func finish() -> Sent? { due.flatMap { send(at: $0) } }

  private mutating func send(at time: Instant) -> Sent? {
    guard let command = waiting else { return nil }
    waiting = nil
    lastSent = Sent(time: time, command: command)
    return lastSent
  }
}

extension CommandPace {
  /// When `advance` must follow, in seconds; nil if no command waits.
  public var deadline: Double? { due?.seconds }

  /// Takes what the turret must do from now on. Returns it if it is to be sent at once.
  public mutating func take(_ command: Command, at seconds: Double) -> Command? {
    take(command, at: Instant(seconds: seconds))?.command
  }

  /// Returns the waiting command, if it is due.
  public mutating func advance(to seconds: Double) -> Command? {
    advance(to: Instant(seconds: seconds) + .nanoseconds(1))?.command
  }
}

extension Instant {
  /// The moment so many seconds after zero, to the nanosecond. What is not a number, or further
  /// away than a century, is that far away.
  package init(seconds: Double) {
    let most = 3.2e9
    let near = seconds.isNaN ? most : min(max(seconds, -most), most)
    self.init(nanoseconds: Int64((near * 1e9).rounded()))
  }
}
