import Sketches
import Traces

/// The events of one line: its bytes, framing errors, breaks and holes.
///
/// Bytes to the board that follow each other without a gap become one event; each byte from the
/// board is a separate event.
struct LineEvents {
  /// A hole in the recording of the line.
  struct Hole: Hashable, Sendable {
    var start: Int64
    var length: Int64
  }

  /// A longer run becomes several events, so that the events of other channels need not wait for
  /// it.
  private static let runMax = 1_024
  /// Further holes are counted, but not kept.
  static let holesMax = 4_096

  let line: Event.Line
  private let baud: Int64
  /// How late and how early a byte can start and still belong to the run, in nanoseconds.
  private let late: Int64
  private let early: Int64
  private let options: CaptureOptions
  private var uart: UARTLine
  private var run: [UInt8] = []
  private var runStart: Int64 = 0
  private var holeStart: Int64?
  /// Whether a level was known before. What is unknown before that is not a hole.
  private var hasBegun = false
  /// The holes that an earlier pass found. This pass reports each at its beginning.
  private var knownHoles: ArraySlice<Hole>

  private(set) var holes: [Hole] = []
  private(set) var holeCount = 0
  private(set) var byteCount = 0
  private(set) var framingErrors = 0
  private(set) var breakCount = 0
  private(set) var answers = GuardedAnswers()
  /// The end of the last byte.
  private(set) var end: Int64 = 0

  var glitches: Int { uart.glitches }
  var cutBytes: Int { uart.cutBytes }
  var endsInByte: Bool { uart.endsInByte }
  var isEndAssumed: Bool { uart.isEndAssumed }

  /// `holes` are those that an earlier pass found.
  init(_ line: Event.Line, _ received: LogicPlan.Line, _ plan: LogicPlan, holes: [Hole]) {
    self.line = line
    uart = UARTLine(
      baud: received.baud, isInverted: received.isInverted, glitchMax: received.glitchMax)
    baud = Int64(received.baud)
    options = plan.options
    knownHoles = holes[...]
    let bit = 1_000_000_000 / baud
    late = min(max(bit / 10, plan.grain + plan.grain / 2), bit)
    early = max(bit / 2, late)
  }

  /// No event that is still to come is before this instant; nil if none is being prepared.
  var earliest: Int64? {
    guard run.isEmpty else { return runStart }
    return uart.earliestStart
  }

  /// Takes the level of a channel from a change on.
  mutating func take(_ change: LogicLevels, _ bit: Int, into events: inout EventSorter) {
    let time = change.time
    let level = change.level(bit)
    uart.take(level, at: time)
    collect(into: &events)
    if level != nil { hasBegun = true }
    if level == nil, hasBegun, !change.isUndriven(bit) {
      beginHole(at: time, into: &events)
    } else if let start = holeStart {
      endHole(start, at: time)
    }
    closeRun(by: time, into: &events)
  }

  mutating func finish(at time: Int64, isKnown: Bool, into events: inout EventSorter) {
    uart.finish(at: time, isKnown: isKnown)
    collect(into: &events)
    if let start = holeStart { endHole(start, at: time) }
    flush(into: &events)
  }

  private mutating func beginHole(at time: Int64, into events: inout EventSorter) {
    guard holeStart == nil else { return }
    holeStart = time
    guard let hole = knownHoles.first, hole.start == time else { return }
    knownHoles = knownHoles.dropFirst()
    add(
      Event(instant(time), .gap(lasting: Interval(nanoseconds: hole.length), on: line)),
      to: &events)
  }

  private mutating func endHole(_ start: Int64, at time: Int64) {
    holeStart = nil
    guard time > start else { return }
    holeCount += 1
    if holes.count < Self.holesMax { holes.append(Hole(start: start, length: time - start)) }
  }

  private mutating func collect(into events: inout EventSorter) {
    if !uart.received.isEmpty {
      for received in uart.received { take(received, into: &events) }
      uart.received.removeAll(keepingCapacity: true)
    }
    for item in uart.breaks {
      let event = Event(
        instant(item.end), .lineBreak(lasting: Interval(nanoseconds: item.length), on: line))
      if add(event, to: &events) { breakCount += 1 }
    }
    uart.breaks.removeAll(keepingCapacity: true)
  }

  private mutating func take(_ received: UARTReceiver.Received, into events: inout EventSorter) {
    guard options.selects(instant(received.start)) else { return }
    let byte = received.byte
    if line == .tx {
      answers.take(byte)
      events.add(Event(instant(received.start), Output.transmit(byte)))
    } else {
      if !run.isEmpty {
        let late = received.start - following
        if late > self.late || late < -early || run.count == Self.runMax { flush(into: &events) }
      }
      if run.isEmpty { runStart = received.start }
      run.append(byte)
    }
    byteCount += 1
    end = max(end, received.start + 10_000_000_000 / baud)
    if !received.hasStop {
      framingErrors += 1
      let stop = received.start + 9_000_000_000 / baud
      events.add(Event(instant(stop), .framingError(on: line, byte)))
    }
  }

  /// When the next byte starts if it follows the run without a gap.
  private var following: Int64 { runStart + Int64(run.count) * 10_000_000_000 / baud }

  private mutating func closeRun(by time: Int64, into events: inout EventSorter) {
    guard !run.isEmpty, time > following + late, (uart.earliestStart ?? .max) > following + late
    else { return }
    flush(into: &events)
  }

  private mutating func flush(into events: inout EventSorter) {
    guard !run.isEmpty else { return }
    events.add(Event(instant(runStart), .receive(run)))
    run.removeAll(keepingCapacity: true)
  }

  @discardableResult
  private func add(_ event: Event, to events: inout EventSorter) -> Bool {
    guard options.selects(event.time) else { return false }
    events.add(event)
    return true
  }

  private func instant(_ time: Int64) -> Instant { Instant(nanoseconds: time) }
}
