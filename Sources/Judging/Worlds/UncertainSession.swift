import Devices
package import Sketches
package import Traces

/// A recorded session whose bytes have uncertain times. A world is one choice of these times.
///
/// In each world
///
/// - each byte begins at most the uncertainty before or after its recorded time, and not before the
///   session begins or after it ends;
/// - the bytes keep their order, and none begins before the one before it has ended;
/// - no byte crosses a reset or a change of the sender's speed;
/// - a byte that the recording shows after the end of a byte from the board begins after that end,
///   whose own time is uncertain in the same way.
///
/// Each time is drawn independently and uniformly from its bounds; then the times are put in order.
package struct UncertainSession: Sendable {
  /// An input other than a byte, or a byte whose time is not drawn because the session was over.
  struct Fixed: Sendable {
    var expectation: Expectation
    /// The byte before which it occurs, as an index.
    var next: Int

    var isReset: Bool {
      if case .reset = expectation.event.kind { true } else { false }
    }
  }

  /// A byte from the board.
  struct Answer: Sendable {
    /// As in `UncertainByte`.
    var bounds: ClosedRange<Int64>
    var offset: Interval
    var end: Interval
  }

  /// The longest session that is replayed in many worlds, in bytes and in events.
  package static let countMax = 1 << 20

  package let header: Header
  /// How far the time of a byte can be off.
  package let uncertainty: Interval
  package private(set) var bytes: [UncertainByte] = []
  /// The time of the trace's last event.
  package private(set) var lastTime = Instant.zero
  private(set) var fixed: [Fixed] = []
  /// Outputs, marks and `x-` events, in order.
  private(set) var others: [Expectation] = []
  private(set) var answers: [Answer] = []

  /// Reads the trace to its end. Throws `tooLong` if it has more than `countMax` bytes or events.
  package init(_ reader: inout TraceReader, uncertainty: Interval) throws(TraceError) {
    header = reader.header
    // Every session is shorter than this, so sums of its times do not overflow.
    self.uncertainty = min(uncertainty, .seconds(1_000_000_000))
    var line = RecordedLine(baud: reader.header.baud)
    var back = RecordedLine(baud: reader.header.baud)
    while let event = try reader.next() {
      guard bytes.count < Self.countMax, others.count < Self.countMax else {
        throw TraceError(
          .tooLong, path: reader.path, line: reader.line,
          "expected at most \(Self.countMax) bytes and events in a trace with uncertain times; "
            + "replay a part of it, or set --uncertainty 0s")
      }
      take(event, line: reader.line, &line, &back)
    }
    lastTime = reader.time
    limit()
    followAnswers()
  }

  private mutating func take(
    _ event: Event, line number: Int, _ line: inout RecordedLine, _ back: inout RecordedLine
  ) {
    let expectation = Expectation(event, line: number)
    switch event.kind {
    case .receive(let values) where event.time <= header.end ?? event.time:
      for (value, place) in zip(values, line.send(values.count, at: event.time)) {
        bytes.append(
          UncertainByte(
            value: value, recorded: place.start, line: number, kind: .receive([value]),
            offset: place.offset, bounds: bounds(place), answer: nil))
      }
    case .receive, .baud, .format, .senderBreak, .reset, .input:
      switch event.kind {
      case .baud(let baud): line.baud = baud
      case .format(let format): line.format = format
      case .senderBreak(let length): line.sendBreak(lasting: length, at: event.time)
      default: break
      }
      fixed.append(Fixed(expectation: expectation, next: bytes.count))
    case .output(let output):
      if case .transmit = output, let place = back.send(1, at: event.time).first {
        answers.append(Answer(bounds: bounds(place), offset: place.offset, end: back.byteTime))
      }
      others.append(expectation)
    default: others.append(expectation)
    }
  }

  private func bounds(_ place: RecordedLine.Place) -> ClosedRange<Int64> {
    let recorded = (place.start - place.offset).nanoseconds
    return recorded - uncertainty.nanoseconds...recorded + uncertainty.nanoseconds
  }

  /// Restricts the bounds to the session and to the side of each reset on which a byte was
  /// recorded, and makes them ascend.
  private mutating func limit() {
    var first = Instant.zero
    var lowest = Int64.min
    var resets = fixed.filter { $0.isReset }[...]
    for index in bytes.indices {
      while let reset = resets.first, reset.next <= index {
        first = max(first, reset.expectation.event.time)
        resets.removeFirst()
      }
      let start = min(first, bytes[index].recorded) - bytes[index].offset
      lowest = max(lowest, bytes[index].bounds.lowerBound, start.nanoseconds)
      bytes[index].bounds = lowest...max(lowest, bytes[index].bounds.upperBound)
    }
    var last = header.end ?? .distantFuture
    var highest = Int64.max
    resets = fixed.filter { $0.isReset }[...]
    for index in bytes.indices.reversed() {
      while let reset = resets.last, reset.next > index {
        last = min(last, reset.expectation.event.time)
        resets.removeLast()
      }
      let end = max(last, bytes[index].recorded) - bytes[index].offset
      let lowest = bytes[index].bounds.lowerBound
      highest = min(highest, bytes[index].bounds.upperBound, end.nanoseconds)
      bytes[index].bounds = lowest...max(highest, lowest)
    }
  }

  /// Finds, for each byte, the last byte from the board that had ended before it.
  private mutating func followAnswers() {
    var next = 0
    let ends = answers.map { answer in
      // The middle of the bounds is the recorded time.
      let (low, high) = (answer.bounds.lowerBound, answer.bounds.upperBound)
      return Instant(nanoseconds: low + (high - low) / 2) + answer.offset + answer.end
    }
    for index in bytes.indices {
      while next < ends.count, ends[next] <= bytes[index].recorded { next += 1 }
      if next > 0 { bytes[index].answer = next - 1 }
    }
  }

  /// The kinds of output that the trace expects or, if it does not state them, contains.
  package var kindsOfOutput: Set<Output.Kind> {
    header.expects ?? Set(others.lazy.compactMap { $0.event.output?.kind })
  }

  /// The recorded times of the bytes: world 0.
  package var recordedTimes: [Instant] { bytes.map { $0.recorded } }

  /// Returns the times of the bytes in a world. World 0 is the recording itself.
  package func times(ofWorld number: Int, seed: UInt64) -> [Instant] {
    guard number > 0 else { return recordedTimes }
    var generator = RandomStream(seed: seed, stream: UInt64(number))
    var starts = bytes.map { generator.draw($0.bounds) }
    // Bounds that ascend still hold after sorting.
    starts.sort()
    var times = zip(bytes, starts).map { Instant(nanoseconds: $1) + $0.offset }
    guard !answers.isEmpty else { return times }
    var replies = answers.map { generator.draw($0.bounds) }
    replies.sort()
    var lowest = Int64.min
    for index in times.indices {
      let byte = bytes[index]
      if let answer = byte.answer {
        let end = Instant(nanoseconds: replies[answer]) + answers[answer].offset
        times[index] = max(times[index], end + answers[answer].end)
      }
      let start = max((times[index] - byte.offset).nanoseconds, lowest)
      lowest = min(start, byte.bounds.upperBound)
      times[index] = Instant(nanoseconds: lowest) + byte.offset
    }
    return times
  }

  /// Whether the times are in order and within their bounds.
  package func allows(_ times: [Instant]) -> Bool {
    guard times.count == bytes.count else { return false }
    var lowest = Int64.min
    for (byte, time) in zip(bytes, times) {
      let start = (time - byte.offset).nanoseconds
      guard start >= lowest, byte.bounds.contains(start) else { return false }
      lowest = start
    }
    return true
  }

  /// Returns how far the times are from the recorded ones: the sum over the bytes, and the largest.
  package func shift(of times: [Instant]) -> (sum: Double, largest: Interval) {
    var sum = 0.0
    var largest = Interval.zero
    for (byte, time) in zip(bytes, times) {
      let shift = (time - byte.recorded).magnitude
      sum += shift.seconds
      largest = max(largest, shift)
    }
    return (sum, largest)
  }
}

extension UncertainSession {
  /// Calls `body` with each event of a world in order, and the trace's line. Leaves out outputs,
  /// marks and `x-` events unless `includesOthers`.
  func forEachEvent(at times: [Instant], includesOthers: Bool, _ body: (Event, Int) -> Void) {
    var fixed = fixed[...]
    var resets = fixed.filter { $0.isReset }[...]
    var others = includesOthers ? others[...] : []
    func pass(to time: Instant) {
      while let other = others.first, other.event.time < time {
        body(other.event, other.line)
        others.removeFirst()
      }
    }
    var last = Instant.zero
    func put(_ event: Event, _ line: Int) {
      pass(to: event.time)
      body(event, line)
      last = event.time
    }
    for index in 0...bytes.count {
      let next = index < times.count ? times[index] : .distantFuture
      while let reset = resets.first, reset.next <= index { resets.removeFirst() }
      while let input = fixed.first, input.next <= index {
        // A change of speed stays between the two bytes between which it was recorded.
        var event = input.expectation.event
        event.time = max(last, min(event.time, next))
        put(event, input.expectation.line)
        fixed.removeFirst()
      }
      guard index < bytes.count else { continue }
      // A byte that was sent before a reset stays before it, even if it waited for the line.
      let limit = resets.first?.expectation.event.time ?? next
      put(Event(min(next, limit), bytes[index].kind), bytes[index].line)
    }
    pass(to: .distantFuture)
  }

  /// Returns a world as a canonical trace. Its times count as exact, and its outputs are compared
  /// with `tolerance`. Bytes of one record of the recording stay in one record while they follow
  /// each other without a gap.
  package func trace(at times: [Instant], tolerance: Interval) -> [UInt8] {
    var header = header
    header.removeUncertainty()
    header.set(tolerance: tolerance)
    var text: [UInt8] = []
    text.appendLine(header)
    var record: (event: Event, line: Int, bytes: [UInt8], end: Instant)?
    var index = 0
    var held: [Event] = []
    func flush() {
      if let whole = record { text.appendLine(Event(whole.event.time, .receive(whole.bytes))) }
      for event in held { text.appendLine(event) }
      (record, held) = (nil, [])
    }
    forEachEvent(at: times, includesOthers: true) { event, line in
      guard case .receive(let values) = event.kind, index < bytes.count,
        bytes[index].line == line
      else {
        // An output during a record comes after it in the file, and so does a low stop bit.
        if record != nil, !event.isInput || event.lacksStopBit,
          event.time < record?.end ?? event.time
        {
          return held.append(event)
        }
        flush()
        return text.appendLine(event)
      }
      let gap = index > 0 ? bytes[index].recorded - bytes[index - 1].recorded : .zero
      if record?.line == line, index > 0, times[index] - times[index - 1] == gap {
        record?.bytes += values
        record?.end = times[index]
      } else {
        flush()
        record = (event, line, values, times[index])
      }
      index += 1
    }
    flush()
    return text
  }
}

/// A byte to the board whose time a recording states only within bounds.
package struct UncertainByte: Hashable, Sendable {
  package var value: UInt8
  /// When its start bit began according to the recording.
  package var recorded: Instant
  /// The trace's line.
  package var line: Int
  /// The event that sends this byte alone.
  var kind: Event.Kind
  /// How long the bytes before it occupy the line.
  var offset: Interval
  /// When its start bit can have begun, less `offset`, in nanoseconds. Neither limit ever falls.
  var bounds: ClosedRange<Int64>
  /// The index of the last byte from the board that ended before this one began according to the
  /// recording; nil if there is none.
  var answer: Int?

  /// The first and the last instant at which its start bit can have begun.
  package var earliest: Instant { Instant(nanoseconds: bounds.lowerBound) + offset }
  package var latest: Instant { Instant(nanoseconds: bounds.upperBound) + offset }
}

/// The times of the bytes on a line according to a recording: back to back within a record, and
/// later than the record's time if the line was busy.
struct RecordedLine {
  /// A byte's place on the line.
  struct Place {
    /// When its start bit begins.
    var start: Instant
    /// How long the bytes before it occupy the line.
    var offset: Interval
  }

  /// The speed in bits a second.
  var baud: Int
  var format = LineFormat.standard
  private var free = Instant.zero
  private var occupied = Interval.zero
  /// The last break; nil before the first.
  private var lastBreak: LineBreak?

  init(baud: Int) { self.baud = baud }

  /// How long a byte occupies the line.
  var byteTime: Interval { ByteClock.byteTime(baud: baud, format: format) }

  /// Takes a break: nothing else is sent until its end, which another break moves.
  mutating func sendBreak(lasting length: Interval, at time: Instant) {
    free = LineBreak.send(lasting: length, at: time, free: free, baud: baud, after: &lastBreak)
  }

  mutating func send(_ count: Int, at time: Instant) -> [Place] {
    var clock = ByteClock(baud: baud, format: format, startingAt: max(time, free))
    var places: [Place] = []
    for _ in 0..<count {
      places.append(Place(start: clock.instant, offset: occupied))
      clock.advance()
      occupied = occupied + byteTime
    }
    free = clock.instant
    return places
  }
}
