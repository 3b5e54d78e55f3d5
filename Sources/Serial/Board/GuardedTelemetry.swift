import Sketches

/// The telemetry of a board that runs guarded. The bench turns it on for its own use and hides it
/// from the sender: it separates the board's output into servo writes and what the sender would
/// receive without the bench.
///
/// `V` toggles telemetry, so its state must be tracked. The bench turns it on once. A sender's `V`
/// is counted here instead of being forwarded; a meaningless byte is sent to the board in its
/// place, which takes as long and abandons a number just as `V` does. guarded does not count `V`
/// and `?` as accepted commands, so the bench's own do not change the answer to a sender's `?`. The
/// exception is the count of lines that did not fit (`drop`), since the bench's lines use the same
/// 63 bytes.
struct GuardedTelemetry: Hashable, Sendable {
  private static let toggle = UInt8(ascii: "V")
  /// Junk to guarded, both inside a number and outside.
  private static let standIn = UInt8(ascii: "v")
  /// The answer takes 52 ms on the line.
  private static let answerTimeMax = Interval.milliseconds(500)
  /// More changes than can be on their way to the board at once. A line follows its write so soon
  /// that, once this many wait, every write between the first two has been reported.
  static let changesMax = 8_192

  private let byteTime: Interval
  private var scanner = TelemetryScanner()
  private var clock: BoardClock
  /// Whether the sender would have seen the last line, and when it has requested changes since.
  private var isShown: Bool
  private(set) var changes: [Instant] = []
  /// When the sketch started; nil if it was already running.
  private var sketchStart: Instant?
  /// The deadline for the answer to the bench's own `?`; nil if it has been received.
  private var answerDeadline: Instant?
  private var answer: [UInt8] = []
  /// The last pulse reported, in microseconds; nil before the first.
  private var pulse: UInt16?

  /// `isOn`: telemetry was already on, so the sender must see it.
  init(baud: Int, isOn: Bool) {
    byteTime = ByteClock.byteTime(baud: baud)
    clock = BoardClock(
      lineTime: .nanoseconds(byteTime.nanoseconds * Int64(TelemetryScanner.lineLength)))
    isShown = isOn
  }

  /// Whether the sender, without the bench, would have left it on.
  var isLeftOn: Bool { isShown != (changes.count % 2 == 1) }

  /// Whether the answer to the bench's own `?` is still outstanding.
  var isAwaitingAnswer: Bool { answerDeadline != nil }

  /// Returns the bytes to send from `now` on: they query the status and turn telemetry on.
  /// `sketchStart` is when the sketch started; nil if it was already running.
  mutating func begin(at now: Instant, sketchStart: Instant?) -> [UInt8] {
    let isOn = sketchStart == nil && isShown
    self.sketchStart = sketchStart
    answerDeadline = now + Self.answerTimeMax
    // The query is first: if it was received, so was everything after it.
    return [UInt8(ascii: "?")] + (isOn ? [] : [Self.toggle])
  }

  /// The board restarts, which turns telemetry off.
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

  /// Returns the bytes to send to the board in place of the sender's. The first byte ends at
  /// `firstEnd`, the others follow.
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
    // Two changes cancel each other.
    if changes.count > Self.changesMax { changes.removeFirst(2) }
  }

  /// Whether the board has failed to answer as guarded would.
  func isOverdue(at now: Instant) -> Bool { answerDeadline.map { now > $0 } ?? false }

  /// Takes a byte from the board whose stop bit ended at `arrival`. Outputs are not in order.
  mutating func take(_ byte: UInt8, at arrival: Instant, _ put: (Output, Instant) -> Void) {
    for item in scanner.take(byte, at: arrival) { handle(item, put) }
  }

  mutating func expire(at now: Instant, _ put: (Output, Instant) -> Void) {
    for item in scanner.expire(at: now) { handle(item, put) }
  }

  private mutating func handle(_ item: TelemetryScanner.Item, _ put: (Output, Instant) -> Void) {
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

  /// A line reports every write; a trace contains only changes.
  private mutating func store(
    _ degrees: UInt8, at instant: Instant, _ put: (Output, Instant) -> Void
  ) {
    let pulse = ServoLibrary.pulse(writing: Int16(degrees))
    guard pulse != self.pulse else { return }
    self.pulse = pulse
    put(.servo(degrees: degrees, microseconds: pulse), instant)
  }

  /// The first status line answers the bench's own `?`, since no other query was sent before it.
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
    // The sketch has written this angle once, immediately after its start and before telemetry was
    // on.
    store(status.degrees, at: sketchStart, put)
  }
}

/// The answer of guarded to `?`, reduced to what the bench needs.
///
///     090 hold ok=00012 no=00003 lost=00000 drop=00000
struct StatusLine: Hashable, Sendable {
  var degrees: UInt8
  var isSweeping: Bool
  var accepted: Int

  /// Parses a line without its LF. Returns nil if it is not a status line.
  init?(_ bytes: [UInt8]) {
    let words = String(decoding: bytes, as: UTF8.self).split(
      separator: " ", omittingEmptySubsequences: false)
    guard bytes.count == 48, words.count == 6, words[0].count == 3, let degrees = UInt8(words[0]),
      degrees <= 180, words[1] == "hold" || words[1] == "scan", words[2].hasPrefix("ok="),
      let accepted = Int(words[2].dropFirst(3)), words[3].hasPrefix("no="),
      words[4].hasPrefix("lost="), words[5].hasPrefix("drop=")
    else { return nil }
    self.degrees = degrees
    isSweeping = words[1] == "scan"
    self.accepted = accepted
  }
}
