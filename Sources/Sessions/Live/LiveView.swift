import Devices
import Pictures
import SystemPackage
import Traces
import Turret

/// The view of a live session: what happened so far, as the terminal shows it.
final class LiveView {
  /// Of so many of the last bytes it is told what became of them.
  private static let recentMax = 256
  /// A terminal that takes no more is tried again so often.
  private static let retry = Interval.milliseconds(33)

  private var screen: TerminalScreen
  private var status: LiveStatus
  private(set) var shaft: Shaft
  /// Whether the shaft follows the pulses on the pin; else what is commanded, up to a frame of 20
  /// ms sooner, which nobody sees and which spares the bench 50 wake-ups a second.
  private let hasPulses: Bool
  /// What was said last while the view was on, for afterwards.
  private(set) var notices: [String] = []
  private static let noticesMax = 20

  init(_ screen: consuming TerminalScreen, _ status: LiveStatus, servo: ServoData, hasPulses: Bool)
  {
    self.screen = screen
    self.status = status
    self.hasPulses = hasPulses
    shaft = Shaft(servo)
  }

  func enter() { screen.enter() }
  func leave() { screen.leave() }
  func resized() { screen.resized() }
  func suspend() { screen.suspend() }

  /// Readable when a key was pressed; nil where keys are not for the view.
  var keyDescriptor: FileDescriptor? { screen.keyDescriptor }
  /// The keys that were pressed since the last time.
  func takeKeys() -> [UInt8] { screen.takeKeys() }

  /// Time went back to a moment with such a shaft.
  func goBack(to moment: LiveMoment<some RealTimeDevice>) {
    shaft = moment.shaft
    status.senderBaud = moment.senderBaud
    screen.timeWentBack()
  }

  /// Tells something that nobody needs to know afterwards.
  func say(_ line: String) { status.notice = line }

  func warn(_ line: String) {
    if notices.count == Self.noticesMax { notices.removeFirst() }
    notices.append(line)
    status.notice = line
  }

  func take(_ event: Event) {
    switch event.kind {
    case .baud(let baud): status.senderBaud = baud
    case .output(.servo(_, let width)) where !hasPulses:
      shaft.follow(pulse: Double(width), endingAt: event.time)
    case .output(.pulse(let width)) where hasPulses:
      let end = event.time + .nanoseconds(Int64((width * 1_000).rounded()))
      shaft.follow(pulse: width, endingAt: end)
    default: break
    }
  }

  /// Draws what there is to see at `now`, if it is time to.
  func draw(
    _ session: LiveSession<some RealTimeDevice>, _ counts: LiveCounts, clients: Int, unread: Int,
    lateness: Lateness,
    at now: Instant
  ) {
    let ledger = session.device.capabilities.reportsFates ? session.ledger : nil
    status.time = now
    status.clients = clients
    status.commandedDegrees = counts.degrees
    status.commandedMicroseconds = counts.microseconds
    status.shaftDegrees = counts.degrees == nil ? nil : shaft.angle(at: now)
    status.isShaftMoving = shaft.arrival.map { $0 > now } ?? false
    status.activity = session.device.activity
    status.toneHertz = counts.tone
    status.counts.received = counts.received
    status.counts.waitingOnLine = session.onTheWayCount
    status.counts.waitingInRing = session.device.waitingCount
    status.counts.commands = ledger?.commands
    status.counts.lost = counts.lost
    status.counts.transmitted = counts.transmitted
    status.counts.transmitDropped = unread
    status.recent = Array(ledger?.entries.suffix(Self.recentMax) ?? [])
    if let median = lateness.percentile(50), let tail = lateness.percentile(99) {
      status.lateness = .init(
        count: lateness.count, median: median, percentile99: tail, worst: lateness.worst)
    }
    screen.draw(status, now: now)
  }

  /// When to draw again though nothing happens: another frame, or the clock's next second.
  func nextFrame(after now: Instant) -> Instant? {
    if screen.isGone { return nil }
    if screen.wantsToWrite { return now + Self.retry }
    let second = Interval.seconds(1).nanoseconds
    let tick = Instant(nanoseconds: (now.nanoseconds / second + 1) * second)
    return screen.nextFrame.map { min($0, tick) } ?? tick
  }
}
