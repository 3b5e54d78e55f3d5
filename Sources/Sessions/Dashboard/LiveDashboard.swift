import Devices
import Engine
import Gateway
import Pictures
import Traces
import Turret

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

  init(_ tracker: LiveTracker) { self.tracker = tracker }

  mutating func take(_ event: Event) {
    tracker.take(event)
    history.take(event)
  }

  /// Rewinds to a moment.
  mutating func goBack(to moment: LiveMoment<some RealTimeDevice>, at time: Instant) {
    tracker.goBack(to: moment)
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
    let status = tracker.status
    if commandsTime.map({ now - $0 >= Self.commandsPeriod }) ?? true {
      commands = status.dashboardCommands
      commandsTime = now
    }
    if status.changesByItself { limiter.wantAnother() }
    return DashboardMessage(
      time: now, members: status.dashboardMembers + [.init("commands", commands)],
      history: needsHistory ? history.json(at: now, ownPin: status.ownPin) : nil)
  }

  /// Returns when the next message is due even if nothing happens: at the latest at the clock's
  /// next second.
  func nextMessage(after now: Instant) -> Instant {
    let second = Interval.seconds(1).nanoseconds
    let tick = Instant(nanoseconds: (now.nanoseconds / second + 1) * second)
    return limiter.next.map { min($0, tick) } ?? tick
  }
}
