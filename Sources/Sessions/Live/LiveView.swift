import Devices
import Pictures
import SystemPackage
import Traces
import Turret

/// The view of a live session: its state so far, drawn on the terminal.
final class LiveView {
  /// The number of last bytes whose fates are passed to the view.
  private static let recentMax = 256
  /// How soon a stalled terminal is tried again.
  private static let retry = Interval.milliseconds(33)

  private var screen: TerminalScreen
  private var status: LiveStatus
  private(set) var shaft: Shaft
  /// Whether the shaft follows the pulses on the pin. If not, it follows the commanded pulse, up to
  /// a frame of 20 ms earlier, which is not visible and saves 50 wake-ups a second.
  private let hasPulses: Bool
  /// The last warnings during the view, to print after it.
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

  /// Readable when a key was pressed; nil if keys are not for the view.
  var keyDescriptor: FileDescriptor? { screen.keyDescriptor }
  /// Returns the keys pressed since the last call.
  func takeKeys() -> [UInt8] { screen.takeKeys() }

  /// Rewinds to a moment and its shaft.
  func goBack(to moment: LiveMoment<some RealTimeDevice>) {
    shaft = moment.shaft
    status.senderBaud = moment.senderBaud
    screen.timeWentBack()
  }

  /// Shows a line that is not needed afterwards.
  func showNotice(_ line: String) { status.notice = line }

  func warn(_ line: String) {
    if notices.count == Self.noticesMax { notices.removeFirst() }
    notices.append(line)
    status.notice = line
  }

  func take(_ event: Event) {
    switch event.kind {
    case .baud(let baud): status.senderBaud = baud
    case .output(.servo(_, let width, nil)) where !hasPulses:
      shaft.follow(pulse: Double(width), endingAt: event.time)
    case .output(.pulse(let width, nil)) where hasPulses:
      let end = event.time + .nanoseconds(Int64((width * 1_000).rounded()))
      shaft.follow(pulse: width, endingAt: end)
    default: break
    }
  }

  /// Draws the state at `now` if a frame is due.
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

  /// Returns when to draw again even if nothing happens: at the next frame, or the clock's next
  /// second.
  func nextFrame(after now: Instant) -> Instant? {
    if screen.isGone { return nil }
    if screen.wantsToWrite { return now + Self.retry }
    let second = Interval.seconds(1).nanoseconds
    let tick = Instant(nanoseconds: (now.nanoseconds / second + 1) * second)
    return screen.nextFrame.map { min($0, tick) } ?? tick
  }
}
