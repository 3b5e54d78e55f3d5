import Turret

/// The telemetry of a board with guarded, which the bench turns on for itself and hides from the
/// sender: what comes from the board is told apart into what the sender would have seen without the
/// bench and what the servo did.
///
/// `V` toggles, so there must be one who counts. The bench turns it on once; a sender's `V` is not
/// passed on but counted here, and a byte that means nothing goes to the board in its place: it
/// takes as long, and it abandons a number as `V` does. `V` and `?` are no commands to guarded:
/// neither counts as accepted, so the answer to a sender's own `?` is not changed by the bench, but
/// for lines that found no room (`drop`): the bench's use the same 63 bytes.
struct GuardedTelemetry: Hashable, Sendable {
  private static let toggle = UInt8(ascii: "V")
  /// Junk to guarded, in a number as outside.
  private static let standIn = UInt8(ascii: "v")
  /// The answer takes 52 ms of the line.
  private static let answerTimeMax = Interval.milliseconds(500)
  /// More changes than can be on their way to the board at once. A line comes so soon after its
  /// write that of this many the first two have no write between them that is still to be told of.
  static let changesMax = 8_192

  private let byteTime: Interval
  private var scanner = TelemetryScanner()
  private var clock: BoardClock
  /// Whether the sender would see lines, as of the last one, and when it has asked for a change
  /// since.
  private var isShown: Bool
  private(set) var changes: [Instant] = []
  /// When the sketch started; nil where it was running already.
  private var sketchStart: Instant?
  /// By when the answer to the bench's own `?` must have come; nil when it has.
  private var answerDeadline: Instant?
  private var answer: [UInt8] = []
  /// The pulse last put out, microseconds; nil before the first.
  private var pulse: UInt16?

  /// `isOn`: telemetry was found on, so the sender is to see it.
  init(baud: Int, isOn: Bool) {
    byteTime = ByteClock.byteTime(baud: baud)
    clock = BoardClock(
      lineTime: .nanoseconds(byteTime.nanoseconds * Int64(TelemetryScanner.lineLength)))
    isShown = isOn
  }

  /// Whether the sender, had there been no bench, would have left it on.
  var isLeftOn: Bool { isShown != (changes.count % 2 == 1) }

  /// Whether the board still has to answer the bench's own `?`.
  var isAwaitingAnswer: Bool { answerDeadline != nil }

  /// What to send, from `now` on: asks for the status and turns telemetry on. `sketchStart` is when
  /// the sketch started, nil where it was running already.
  mutating func begin(at now: Instant, sketchStart: Instant?) -> [UInt8] {
    let isOn = sketchStart == nil && isShown
    self.sketchStart = sketchStart
    answerDeadline = now + Self.answerTimeMax
    // The question first: where that was heard, what came behind it was too.
    return [UInt8(ascii: "?")] + (isOn ? [] : [Self.toggle])
  }

  /// The board restarts: it forgets what it was told.
  mutating func restart() {
    scanner = TelemetryScanner()
    clock = BoardClock(
      lineTime: .nanoseconds(byteTime.nanoseconds * Int64(TelemetryScanner.lineLength)))
    isShown = false
    changes = []
    answerDeadline = nil
    answer = []
    pulse = nil
  }

  /// What goes to the board for what a sender sends; the first byte ends at `end`, the others
  /// follow.
  mutating func filter(_ bytes: [UInt8], firstEnd: Instant, listensFrom: Instant) -> [UInt8] {
    var end = firstEnd
    return bytes.map { byte in
      defer { end += byteTime }
      guard byte == Self.toggle else { return byte }
      if end >= listensFrom { note(change: end) }
      return Self.standIn
    }
  }

  private mutating func note(change: Instant) {
    changes.append(change)
    // Two are none.
    if changes.count > Self.changesMax { changes.removeFirst(2) }
  }

  /// The board does not answer as guarded would.
  func isOverdue(at now: Instant) -> Bool { answerDeadline.map { now > $0 } ?? false }

  /// Takes a byte from the board whose stop bit ended at `arrival`; outputs come in any order.
  mutating func take(_ byte: UInt8, at arrival: Instant, _ put: (Output, Instant) -> Void) {
    var items: [TelemetryScanner.Item] = []
    scanner.take(byte, at: arrival) { items.append($0) }
    for item in items { handle(item, put) }
  }

  mutating func expire(at now: Instant, _ put: (Output, Instant) -> Void) {
    var items: [TelemetryScanner.Item] = []
    scanner.expire(at: now) { items.append($0) }
    for item in items { handle(item, put) }
  }

  private mutating func handle(
    _ item: TelemetryScanner.Item, _ put: (Output, Instant) -> Void
  ) {
    switch item {
    case .other(let stamped):
      if answerDeadline == nil {
        transmit(stamped, put)
      } else {
        takeAnswer(stamped.byte, put)
      }
    case .write(let microseconds, let degrees, let line):
      guard let last = line.last else { return }
      let instant = clock.map(microseconds, arrival: last.arrival)
      while let change = changes.first, change <= instant {
        changes.removeFirst()
        isShown.toggle()
      }
      store(degrees, at: instant, put)
      if isShown { for stamped in line { transmit(stamped, put) } }
    }
  }

  private func transmit(_ stamped: TelemetryScanner.Stamped, _ put: (Output, Instant) -> Void) {
    put(.transmit(stamped.byte), stamped.arrival - byteTime)
  }

  /// A line reports every write, a trace only what changes.
  private mutating func store(
    _ degrees: UInt8, at instant: Instant, _ put: (Output, Instant) -> Void
  ) {
    let pulse = ServoLibrary.pulse(writing: Int16(degrees))
    guard pulse != self.pulse else { return }
    self.pulse = pulse
    put(.servo(degrees: degrees, microseconds: pulse), instant)
  }

  /// The first line that is a status answers the bench's own `?`: nobody else has asked before.
  private mutating func takeAnswer(_ byte: UInt8, _ put: (Output, Instant) -> Void) {
    guard byte == UInt8(ascii: "\n") else {
      if answer.count < 64 { answer.append(byte) }
      return
    }
    defer { answer = [] }
    guard let status = StatusLine(answer) else { return }
    answerDeadline = nil
    guard let sketchStart, status.accepted == 0, !status.isSweeping else {
      if pulse == nil { pulse = ServoLibrary.pulse(writing: Int16(status.degrees)) }
      return
    }
    // It has aimed once, before telemetry could be on: at once after its start.
    store(status.degrees, at: sketchStart, put)
  }
}
