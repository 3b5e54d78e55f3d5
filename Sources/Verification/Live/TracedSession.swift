import Traces
import Turret

/// A trace read for the judging of a live session: its bytes, and its outputs each with its cause.
///
/// The trace may be a recording, or wishes written by hand. An output that the model too has at
/// about that time has the model's cause; any other follows from the last thing that the sketch
/// took.
struct TracedSession: Sendable {
  /// Further than a trace goes the model is taken so far, to learn what it ends too early to show.
  private static let afterEnd = Interval.seconds(2)

  let header: Header
  let end: Instant
  let causes: Causes
  let timing: Timing
  /// The angles between which the sketch scans, degrees.
  let scanRange: ClosedRange<UInt8>
  /// How a computer's clock was fitted to the model's.
  let fit: ClockFit?
  /// The trace's inputs, for the report.
  let inputs: [Expectation]
  /// The trace's line for each byte that reaches the board.
  let byteLines: [Int]
  let lastLine: Int
  /// In order of their causes.
  var servo: [TracedServo] = []
  var tones: [TracedTone] = []
  var lost: [TracedOutput] = []
  var replies: [(cause: Cause, offset: Interval, line: ReplyLine)] = []
  /// Questions that the trace ends too early to answer.
  var unshownReplies = 0
  var reportsWrites = false
  /// The kinds of output that occur.
  let kinds: Set<Output.Kind>
  /// When the last output came.
  let lastOutput: Instant
  /// Where the state of a board that was already running becomes known: there, or by that aim.
  var fix: Fix?

  enum Fix: Hashable {
    case reset(Int)
    case aim(byte: Int)
  }

  /// `timing`: the figures of the build that the trace is of; nil: those that were measured.
  init(
    _ reader: inout TraceReader, firmware: Firmware, timing: Timing?
  ) throws(TraceError) {
    header = reader.header
    var events: [Expectation] = []
    while let event = try reader.next() {
      if event.time <= header.end ?? event.time {
        events.append(Expectation(event, line: reader.line))
      }
    }
    lastLine = reader.line
    end = header.end ?? reader.time
    inputs = events.filter { $0.event.isInput }

    var course = Course(firmware, timing: timing, baud: header.baud, start: header.start)
    for input in inputs { course.take(input.event) }
    course.advance(to: end + Self.afterEnd)
    self.timing = course.timing
    scanRange = course.sketch.scan
    causes = Causes(course)
    byteLines = Self.byteLines(inputs, causes.bytes)

    fit =
      header.clock == .host ? ClockFit(Self.pairs(events, course.outputs)) : nil
    if let fit {
      for index in events.indices where events[index].event.output != nil {
        events[index].event.time = fit.device(events[index].event.time)
      }
    }
    kinds = Set(events.lazy.compactMap { $0.event.output?.kind })
    lastOutput =
      events.last { $0.event.output != nil && $0.event.output?.kind != .pulse }?.event.time ?? .zero
    read(events.filter { $0.event.output != nil }, course)
  }

  /// What came last: a byte, or a start of the sketch.
  var lastCause: Cause {
    let start = causes.starts.count - 1
    guard let last = causes.bytes.last, last.arrived > causes.starts[start] || start == 0 else {
      return .start(start)
    }
    return .byte(causes.bytes.count - 1)
  }

  /// How far apart the trace's outputs and the model's may be and yet be the same.
  var window: Interval {
    let jitter = max(header.tolerance, .milliseconds(20))
    return header.clock == .host && fit == nil ? jitter + .milliseconds(50) : jitter
  }

  /// What a byte makes the trace write to the servo by itself.
  func aim(_ byte: Int) -> ServoState? {
    for case .write(let write) in servo where write.cause == .byte(byte) { return write.state }
    return nil
  }

  private static func byteLines(_ inputs: [Expectation], _ bytes: [Ledger.Entry]) -> [Int] {
    var lines: [Int] = []
    for input in inputs {
      if case .receive(let sent) = input.event.kind {
        lines += Array(repeating: input.line, count: sent.count)
      }
    }
    if lines.count == bytes.count { return lines }
    // At a wrong speed other bytes arrive than were sent.
    return bytes.map { byte in
      inputs.last { $0.event.time < byte.arrived }?.line ?? 1
    }
  }

  /// The n-th of a kind with the n-th of the same kind, as long as their values agree.
  private static func pairs(
    _ events: [Expectation], _ outputs: [Observation]
  ) -> [(device: Instant, host: Instant)] {
    var pairs: [(device: Instant, host: Instant)] = []
    for kind in Output.Kind.allCases {
      let wanted = events.lazy.map { $0.event }.filter { $0.output?.kind == kind }
      let given = outputs.lazy.filter { $0.output.kind == kind }
      for (wanted, given) in zip(wanted, given) {
        guard let output = wanted.output, output.matches(given.output) else { break }
        pairs.append((device: given.time, host: wanted.time))
      }
    }
    return pairs
  }
}
