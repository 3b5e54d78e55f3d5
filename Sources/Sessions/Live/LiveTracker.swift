import Devices
import Engine
import Judging
import Pictures
import Sketches
import Traces

/// Follows a live session, and describes its state for the view and the dashboards.
struct LiveTracker {
  /// The number of recent bytes whose fates are described.
  private static let recentMax = 256

  var status: LiveStatus
  private(set) var shaft: Shaft
  /// The shafts of the other servos, by their pins.
  private var others: [BoardPin: Shaft] = [:]
  private let servo: ServoData
  /// The board's speed that the session began with, in bits a second.
  private let baud: Int
  /// Whether the shaft follows the pulses on the pin. If not, it follows the commanded pulse, up to
  /// a period of 20 ms earlier, which is not visible and saves 50 wake-ups a second.
  private let hasPulses: Bool
  private var sent: SentCommandLog?

  init(_ status: LiveStatus, profile: Profile?, servo: ServoData, hasPulses: Bool) {
    self.status = status
    self.status.profile = profile
    self.servo = servo
    baud = status.baud
    self.hasPulses = hasPulses
    shaft = Shaft(servo)
    sent = makeLog()
  }

  private func makeLog() -> SentCommandLog? {
    guard let profile = status.profile, profile.hasCommands else { return nil }
    return SentCommandLog(status.firmware, profile, baud: status.senderBaud)
  }

  /// Rewinds to a moment and its shaft.
  mutating func goBack(to moment: LiveMoment<some RealTimeDevice>) {
    shaft = moment.shaft
    others = [:]
    status.senderBaud = moment.session.board.port.baud
    status.serial.goBack(to: moment.session.now)
    sent = makeLog()
  }

  mutating func take(_ event: Event) {
    sent?.take(event)
    status.serial.take(event)
    switch event.kind {
    case .baud(let baud): status.senderBaud = baud
    case .output(.servo(_, let width, nil)) where !hasPulses:
      shaft.follow(pulse: Double(width), endingAt: event.time)
    case .output(.servo(_, let width, let pin?)) where !hasPulses:
      others[pin, default: Shaft(servo)].follow(pulse: Double(width), endingAt: event.time)
    case .output(.pulse(let width, let pin?)) where hasPulses:
      let end = event.time + .nanoseconds(Int64((width * 1_000).rounded()))
      others[pin, default: Shaft(servo)].follow(pulse: width, endingAt: end)
    case .output(.pulse(let width, nil)) where hasPulses:
      let end = event.time + .nanoseconds(Int64((width * 1_000).rounded()))
      shaft.follow(pulse: width, endingAt: end)
    default: break
    }
  }

  /// Describes the state at `now`.
  mutating func look(
    at session: Session<some RealTimeDevice>, clients: Int, lateness: Lateness,
    at now: Instant
  ) {
    let counts = session.counts
    let capabilities = session.board.device.capabilities
    let ledger = capabilities.reportsFates ? session.board.ledger : nil
    status.time = now
    status.clients = clients
    let boardBaud = session.board.boardBaud
    status.baud = boardBaud == baud ? baud : SerialLine.usualSpeed(near: boardBaud)
    status.unanswered = status.serial.unanswered(at: now)
    status.pins = counts.pins
    if capabilities.takesInputs { status.inputs = counts.inputs }
    status.parts = (capabilities.parts ?? [:]).filter { !$0.value.range.isEmpty }
    status.commandedDegrees = counts.degrees
    status.commandedMicroseconds = counts.microseconds
    status.shaftDegrees = counts.degrees == nil ? nil : shaft.angle(at: now)
    status.isShaftMoving = shaft.arrival.map { $0 > now } ?? false
    status.ownPin = capabilities.ownServo
    status.others = counts.others.map { servo in
      let shaft = others[servo.pin] ?? Shaft(self.servo)
      return ServoStatus(
        pin: servo.pin, commandedDegrees: servo.degrees,
        commandedMicroseconds: servo.microseconds, shaftDegrees: shaft.angle(at: now),
        isShaftMoving: shaft.arrival.map { $0 > now } ?? false)
    }
    status.activity = session.board.device.activity
    status.toneHertz = counts.tone
    status.counts.received = counts.received
    status.counts.waitingOnLine = session.board.onTheWayCount
    status.counts.waitingInRing = session.board.device.waitingCount
    status.counts.commands = ledger?.commands
    status.counts.lost = counts.lost
    status.counts.transmitted = counts.transmitted
    status.counts.transmitDropped = session.unreadCount
    status.recent = Array(ledger?.entries.suffix(Self.recentMax) ?? [])
    sent?.pass(to: now)
    status.sent = Array(sent?.commands ?? [])
    status.unfinished = sent?.open
    if let median = lateness.percentile(50) {
      status.lateness = .init(count: lateness.count, median: median, worst: lateness.worst)
    }
  }
}
