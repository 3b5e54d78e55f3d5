import Sketches
import Traces

/// Turns a log's records into a trace's events, in order of time.
///
/// A byte from the board is stamped after it was read, so its event is earlier than its record, and
/// can precede bytes to the board that the log shows before it. Those wait here until a later
/// record shows that nothing else precedes them, or until there are too many.
struct LogAssembler {
  /// The most events that wait, and the most bytes in them.
  private static let waitingMax = 4_096
  private static let waitingBytesMax = 1 << 20

  private let plan: LogPlan
  private var clock: LogClock
  private var waiting: [Event] = []
  private var firstWaiting = 0
  private var waitingBytes = 0
  /// The time of the last event. No later event is before it.
  private var last = Instant.zero
  private var lastTransmitted: Int64 = 0
  /// When the last byte of a log without times ends.
  private var laidOut: Int64 = 0
  private var hasBegun = false

  init(_ plan: LogPlan, _ format: LogFormat) {
    self.plan = plan
    clock = LogClock(format)
  }

  mutating func take(_ record: LogRecord, _ give: Capture.Take) throws(CaptureError) {
    try begin(give)
    var time: Int64 = 0
    if let stamp = record.stamp, !plan.isUntimed {
      time = try clock.time(of: stamp, record) - plan.zero
    }
    guard let line = plan.roles.line(of: record) else { return }
    let byteLength = plan.byteLengths[line]
    let length = (Int64(record.bytes.count) + record.missing) * byteLength
    var start = time
    if plan.isUntimed {
      start = laidOut
      laidOut += length
    } else if line == .tx, !plan.isAnalyzer {
      start = time - length
    }
    switch line {
    case .rx: try receive(record, at: start, byteLength, give)
    case .tx: try transmit(record, at: start, byteLength, give)
    }
  }

  /// Passes on the events that are still waiting.
  mutating func end(_ give: Capture.Take) throws(CaptureError) {
    try begin(give)
    try release(upTo: .distantFuture, give)
  }

  /// Passes on the sender's speed first, if it differs from the board's.
  private mutating func begin(_ give: Capture.Take) throws(CaptureError) {
    guard !hasBegun else { return }
    hasBegun = true
    if let speed = plan.options.speedEvent { try give(speed) }
  }

  private mutating func receive(
    _ record: LogRecord, at start: Int64, _ byteLength: Int64,
    _ give: Capture.Take
  ) throws(CaptureError) {
    let time = Instant(nanoseconds: max(0, start))
    if !record.bytes.isEmpty, !join(record, at: start, byteLength) {
      wait(Event(time, .receive(record.bytes)))
    }
    if record.hasFramingError, let byte = record.bytes.last {
      wait(Event(time, .framingError(on: .rx, byte)))
    }
    if record.missing > 0 { wait(gap(record, .rx, at: start, byteLength)) }
    waitingBytes += record.bytes.count
    while waiting.count - firstWaiting > Self.waitingMax
      || waitingBytes > Self.waitingBytesMax && firstWaiting < waiting.count
    {
      try release(upTo: waiting[firstWaiting].time, give)
    }
  }

  /// Adds a byte to the event before it, if a logic analyser shows that it follows directly, within
  /// a tenth of a bit.
  private mutating func join(_ record: LogRecord, at start: Int64, _ byteLength: Int64) -> Bool {
    guard plan.isAnalyzer, firstWaiting < waiting.count,
      case .receive(let bytes) = waiting[waiting.count - 1].kind, bytes.count < 256
    else { return false }
    let expected = waiting[waiting.count - 1].time.nanoseconds + Int64(bytes.count) * byteLength
    guard (start - expected).magnitude <= UInt64(byteLength / 100) else { return false }
    waiting[waiting.count - 1].kind = .receive(bytes + record.bytes)
    return true
  }

  private mutating func transmit(
    _ record: LogRecord, at start: Int64, _ byteLength: Int64,
    _ give: Capture.Take
  ) throws(CaptureError) {
    for (index, byte) in record.bytes.enumerated() {
      lastTransmitted = max(lastTransmitted, start + Int64(index) * byteLength)
      let time = Instant(nanoseconds: lastTransmitted)
      try release(upTo: time, give)
      try emit(Event(time, .transmit(byte)), give)
    }
    if record.hasFramingError, let byte = record.bytes.last {
      try emit(Event(last, .framingError(on: .tx, byte)), give)
    }
    if record.missing > 0 { wait(gap(record, .tx, at: start, byteLength)) }
  }

  /// Adds an event to those that wait. Only a hole can be later than what follows it in the log.
  private mutating func wait(_ event: Event) {
    var index = waiting.count
    while index > firstWaiting, waiting[index - 1].time > event.time { index -= 1 }
    // Most events are the latest, and `insert` is slow at the end.
    if index == waiting.count { waiting.append(event) } else { waiting.insert(event, at: index) }
  }

  private func gap(
    _ record: LogRecord, _ line: Event.Line, at start: Int64, _ byteLength: Int64
  ) -> Event {
    let begin = max(0, start + Int64(record.bytes.count) * byteLength)
    return Event(
      Instant(nanoseconds: begin),
      .gap(lasting: .init(nanoseconds: record.missing * byteLength), on: line))
  }

  /// Passes on the waiting events that are not later than an instant.
  private mutating func release(upTo time: Instant, _ give: Capture.Take) throws(CaptureError) {
    guard firstWaiting < waiting.count else { return }
    while firstWaiting < waiting.count, waiting[firstWaiting].time <= time {
      let event = waiting[firstWaiting]
      firstWaiting += 1
      if case .receive(let bytes) = event.kind { waitingBytes -= bytes.count }
      try emit(event, give)
    }
    if firstWaiting == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      firstWaiting = 0
    } else if firstWaiting > Self.waitingMax {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
  }

  private mutating func emit(_ event: Event, _ give: Capture.Take) throws(CaptureError) {
    last = max(last, event.time)
    guard plan.options.selects(last) else { return }
    if event.time == last { return try give(event) }
    try give(Event(last, event.kind))
  }
}
