import Sketches
import Traces

/// Turns the changes of a logic analyser's recording into the events of a session.
struct LogicSession {
  private let plan: LogicPlan
  private let mask: UInt64
  private(set) var rx: LineEvents?
  private(set) var tx: LineEvents?
  private(set) var pulses = PulseReader()
  private(set) var pulseCount = 0
  private var events = EventSorter()
  private var last: LogicLevels?

  /// `found` are the holes that an earlier pass found.
  init(_ plan: LogicPlan, found: (rx: [LineEvents.Hole], tx: [LineEvents.Hole]) = ([], [])) {
    self.plan = plan
    mask = plan.mask
    rx = plan.rx.map { LineEvents(.rx, $0, plan, holes: found.rx) }
    tx = plan.tx.map { LineEvents(.tx, $0, plan, holes: found.tx) }
    if let speed = plan.options.speedEvent, rx != nil { events.add(speed) }
  }

  /// Takes the levels from an instant on, and passes on the events that are complete.
  mutating func take(_ change: LogicLevels, _ give: Capture.Take) throws(CaptureError) {
    if let last, change.differences(from: last) & mask == 0 { return }
    last = change
    let time = change.time
    if let line = plan.rx { rx?.take(change, line.bit, into: &events) }
    if let line = plan.tx { tx?.take(change, line.bit, into: &events) }
    if let bit = plan.servo, let pulse = pulses.take(change.level(bit), at: time) { add(pulse) }
    var earliest = time
    if let start = rx?.earliest { earliest = min(earliest, start) }
    if let start = tx?.earliest { earliest = min(earliest, start) }
    if let start = pulses.earliest(at: time) { earliest = min(earliest, start) }
    try events.release(before: earliest, give)
  }

  mutating func finish(_ end: LogicRecording.End, _ give: Capture.Take) throws(CaptureError) {
    rx?.finish(at: end.time, isKnown: end.isKnown, into: &events)
    tx?.finish(at: end.time, isKnown: end.isKnown, into: &events)
    try events.release(before: .max, give)
  }

  private mutating func add(_ pulse: PulseReader.Pulse) {
    let instant = Instant(nanoseconds: pulse.start)
    guard plan.options.selects(instant) else { return }
    pulseCount += 1
    events.add(Event(instant, Output.pulse(microseconds: Double(pulse.width) / 1_000)))
  }
}

extension LogicLevels {
  /// The level of a channel; nil if it is not known.
  func level(_ bit: Int) -> Bool? {
    unknown >> UInt64(bit) & 1 == 1 ? nil : high >> UInt64(bit) & 1 == 1
  }

  /// Whether a channel is not driven.
  func isUndriven(_ bit: Int) -> Bool { (unknown & high) >> UInt64(bit) & 1 == 1 }

  /// The channels that differ from other levels.
  func differences(from other: LogicLevels) -> UInt64 {
    (high ^ other.high) | (unknown ^ other.unknown)
  }
}

/// The pulses of a servo's pin.
struct PulseReader {
  struct Pulse: Hashable, Sendable {
    /// Its rising edge, and its width, in nanoseconds.
    var start: Int64
    var width: Int64
  }

  /// A narrower pulse does not move a servo: the narrowest that the library writes is 544 us.
  private static let widthMin: Int64 = 100_000
  /// The widest that a trace can hold.
  private static let widthMax: Int64 = 65_535_000

  private var isHigh: Bool?
  /// The rising edge of the pulse that has begun.
  private var start: Int64?

  private(set) var glitches = 0
  /// How often the pin was high for longer than a pulse.
  private(set) var longPulses = 0

  /// Returns when the pulse in progress began; nil if there is none. No later pulse begins before
  /// it.
  func earliest(at time: Int64) -> Int64? {
    guard let start, time - start <= Self.widthMax else { return nil }
    return start
  }

  /// Takes the pin's level from an instant on; nil if it is not known. Returns the pulse that ends
  /// then, if any.
  mutating func take(_ level: Bool?, at time: Int64) -> Pulse? {
    guard level != isHigh else { return nil }
    // The pulse in which the recording or a hole ends began at an unknown instant.
    let isEdge = isHigh != nil && level != nil
    isHigh = level
    guard isEdge, level == false else {
      start = isEdge ? time : nil
      return nil
    }
    guard let rise = start else { return nil }
    start = nil
    let width = time - rise
    guard width >= Self.widthMin else {
      glitches += 1
      return nil
    }
    guard width <= Self.widthMax else {
      longPulses += 1
      return nil
    }
    return Pulse(start: rise, width: width)
  }
}

/// Sorts the events of several channels by time. A channel produces an event only when it is
/// complete, by which time another channel may have produced a later one.
struct EventSorter {
  private var waiting: [Event] = []

  /// Adds an event after others of the same time, except that inputs precede outputs.
  mutating func add(_ event: Event) {
    var index = waiting.count
    while index > 0, Self.precedes(event, waiting[index - 1]) { index -= 1 }
    waiting.insert(event, at: index)
  }

  /// Passes the events before an instant to `take`, and removes them.
  mutating func release(before time: Int64, _ take: Capture.Take) throws(CaptureError) {
    var count = 0
    while count < waiting.count, waiting[count].time.nanoseconds < time {
      try take(waiting[count])
      count += 1
    }
    if count > 0 { waiting.removeFirst(count) }
  }

  private static func precedes(_ a: Event, _ b: Event) -> Bool {
    if a.time != b.time { return a.time < b.time }
    // A low stop bit is that of a byte at the same time.
    return a.isInput && !a.lacksStopBit && (!b.isInput || b.lacksStopBit)
  }
}
