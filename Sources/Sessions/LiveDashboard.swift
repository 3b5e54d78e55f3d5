import Devices
import Engine
import Network
import Pictures
import Sketches
import Traces

/// The state of a live session for dashboards: at most thirty messages a second, and only while a
/// dashboard is connected.
struct LiveDashboard {
  /// The shortest time between two changes of the list of commands, so that people can read it.
  private static let commandsPeriod = Interval.milliseconds(200)

  private var tracker: LiveTracker
  private var history = ServoHistory()
  private var limiter = RedrawLimiter()
  private var commands = JSONValue.array([])
  private var commandsTime: Instant?
  /// The number of the next entry of the log that no message has had.
  private var nextEntry = 0

  init(_ tracker: LiveTracker) { self.tracker = tracker }

  mutating func take(_ event: Event) {
    tracker.take(event)
    history.take(event)
  }

  /// Takes bytes from the board that have arrived by an instant and do not become events.
  mutating func take(transmitted bytes: [UInt8], by instant: Instant) {
    tracker.status.serial.take(transmitted: bytes, at: instant)
  }

  mutating func goBack(to moment: LiveMoment<some RealTimeDevice>, at time: Instant) {
    tracker.goBack(to: moment)
    nextEntry = tracker.status.serial.next
    history.goBack(to: time)
    limiter = RedrawLimiter()
    commandsTime = nil
  }

  /// Returns the message about the state at `now`; nil if none is due when the clock's present is
  /// `clock`.
  mutating func message(
    of session: Session<some RealTimeDevice>, lateness: Lateness, withHistory needsHistory: Bool,
    at now: Instant, clock: Instant
  ) -> DashboardMessage? {
    guard limiter.admit(at: clock) else { return nil }
    tracker.look(at: session, clients: 0, lateness: lateness, at: now)
    let serial = tracker.status.serial.json(from: nextEntry)
    nextEntry = tracker.status.serial.next
    let log = needsHistory ? tracker.status.serial.json(from: nil) : serial
    let status = tracker.status
    if commandsTime.map({ now - $0 >= Self.commandsPeriod }) ?? true {
      commands = status.dashboardCommands
      commandsTime = now
    }
    if status.changesByItself { limiter.wantAnother() }
    return DashboardMessage(
      time: now,
      members: status.dashboardMembers
        + [.init("commands", commands), .init("serial", serial)],
      history: needsHistory ? history.json(at: now, ownPin: status.ownPin) : nil,
      whole: .init("serial", log))
  }

  /// Returns when the next message is due even if nothing happens: at the latest at the clock's
  /// next second.
  func nextMessage(after now: Instant) -> Instant {
    let second = Interval.seconds(1).nanoseconds
    let tick = Instant(nanoseconds: (now.nanoseconds / second + 1) * second)
    return limiter.next.map { min($0, tick) } ?? tick
  }
}

/// The angles that were commanded in the last minute, for a dashboard that has just connected.
struct ServoHistory {
  private static let length = Interval.seconds(60)
  /// Of angles that follow one another faster than this, only the last is shown.
  private static let step = Interval.milliseconds(100)
  private static let countMax = 2_048

  private struct Entry {
    var time: Instant
    var degrees: UInt8
    /// Nil for the session's own servo.
    var pin: BoardPin?
  }

  private var entries: [Entry] = []

  mutating func take(_ event: Event) {
    guard case .output(.servo(let degrees, _, let pin)) = event.kind else { return }
    if let last = entries.lastIndex(where: { $0.pin == pin }),
      event.time - entries[last].time < Self.step
    {
      entries[last].degrees = degrees
      return
    }
    if entries.count == Self.countMax { entries.removeFirst(Self.countMax / 4) }
    entries.append(Entry(time: event.time, degrees: degrees, pin: pin))
  }

  mutating func goBack(to time: Instant) { entries.removeAll { $0.time > time } }

  /// Returns each angle as `[seconds, degrees, pin]`, in order of time. A servo's first angle can
  /// be older than a minute: it is the angle that was commanded when that minute began.
  ///
  /// - Parameter ownPin: the pin of the session's own servo; nil if it has no name.
  func json(at now: Instant, ownPin: BoardPin?) -> JSONValue {
    let start = now - Self.length
    var first: [BoardPin?: Int] = [:]
    for (index, entry) in entries.enumerated() where entry.time < start {
      first[entry.pin] = index
    }
    let kept = entries.enumerated().filter { index, entry in
      entry.time >= start || first[entry.pin] == index
    }
    return .array(
      kept.map { _, entry in
        .array([
          .seconds(entry.time),
          .whole(entry.degrees), .text((entry.pin ?? ownPin)?.name),
        ])
      })
  }
}
