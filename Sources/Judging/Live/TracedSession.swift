import Sketches
import Traces

/// A trace prepared for judging a live session: its bytes, and its outputs with their causes.
///
/// The trace can be a recording or expectations written by hand. If the model has the same output
/// at about the same time, the output has the model's cause; otherwise its cause is the last byte
/// that the sketch took, or its last start.
struct TracedSession: Sendable {
  /// How far the model runs past the trace's end, to find what the trace ends too early to show.
  private static let afterEnd = Interval.seconds(2)

  let header: Header
  let end: Instant
  let causes: Causes
  let sketch: SketchDescription
  let timing: Timing
  /// The fit of a computer's clock to the model's.
  let fit: ClockFit?
  /// The trace's inputs, for the report.
  let inputs: [Expectation]
  /// The trace's line for each byte that reaches the board.
  let byteLines: [Int]
  let lastLine: Int
  /// The servo actions in order of their causes.
  var servo: [TracedServo] = []
  var tones: [TracedTone] = []
  var lost: [TracedOutput] = []
  var replies: [(cause: Cause, offset: Interval, line: ReplyLine)] = []
  /// The number of queries whose answers the trace ends too early to show.
  var unshownReplies = 0
  var reportsWrites = false
  /// When the last output occurs.
  let lastOutput: Instant
  /// Where the state of a board that was already running becomes known: at a reset or an aim.
  var fix: Fix?

  enum Fix: Hashable {
    case reset(Int)
    case aim(byte: Int)
  }

  /// `timing` contains the figures of the trace's build; nil for the measured ones.
  init(_ traced: TracedEvents, firmware: Firmware, timing: Timing?) {
    header = traced.header
    lastLine = traced.lastLine
    end = traced.end
    inputs = traced.inputs
    var events = traced.events

    var course = Course(firmware, timing: timing, baud: header.baud, start: header.start)
    for input in inputs { course.take(input.event) }
    course.advance(to: end + Self.afterEnd)
    self.timing = course.timing
    sketch = course.sketch
    causes = Causes(course)
    byteLines = traced.lines(of: causes.bytes)

    fit =
      header.clock == .host ? ClockFit(Self.pairs(events, course.outputs)) : nil
    if let fit {
      for index in events.indices where events[index].event.output != nil {
        events[index].event.time = fit.device(events[index].event.time)
      }
    }
    lastOutput =
      events.last { $0.event.output != nil && $0.event.output?.kind != .pulse }?.event.time ?? .zero
    read(events.filter { $0.event.output != nil }, course)
  }

  /// How far apart the trace's output and the model's can be and still be the same.
  var window: Interval {
    let jitter = max(header.tolerance, .milliseconds(20))
    return header.clock == .host && fit == nil ? jitter + .milliseconds(50) : jitter
  }

  /// Returns the servo write that a byte causes directly in the trace.
  func aim(_ byte: Int) -> ServoState? {
    for case .write(let write) in servo where write.cause == .byte(byte) { return write.state }
    return nil
  }

  /// Pairs the n-th output of each kind with the n-th of the other side while their values agree.
  private static func pairs(
    _ events: [Expectation], _ outputs: [TimedOutput]
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

/// An output of a trace, timed from its cause.
struct TracedOutput: Hashable {
  var cause: Cause
  /// From the cause to the output.
  var offset: Interval
  var output: Output
  var line: Int
}

/// A servo action in a trace, timed from its cause.
enum TracedServo: Sendable {
  case write(Write)
  case sweep(Sweep)

  /// A single write of the servo.
  struct Write: Hashable {
    enum Standing: Hashable {
      /// The trace has an event for the write.
      case shown
      /// An aim at the servo's current angle. The trace has no event for it, but a session whose
      /// sweep ended at another angle does.
      case silent
      /// The trace ends too early to show it.
      case unshown
    }

    var cause: Cause
    /// From the cause to the event.
    var offset: Interval
    var state: ServoState
    var standing: Standing
    var line: Int
  }

  /// A sweep as the trace shows it.
  struct Sweep: Hashable {
    struct Step: Hashable {
      /// From taking the `L`.
      var offset: Interval
      var state: ServoState
      var line: Int
    }

    /// The `L`, counted from 0.
    var cause: Int
    /// The servo's state when the sweep began; nil before the first write.
    var from: ServoState?
    var steps: [Step]
    /// Whether it ended before the byte or reset that should end it, so that at most `steps` are
    /// expected in any session.
    var endsByItself = false
    var line: Int
  }

  var cause: Cause {
    switch self {
    case .write(let write): write.cause
    case .sweep(let sweep): .byte(sweep.cause)
    }
  }
}

/// A tone of a trace, timed from its cause.
struct TracedTone: Hashable {
  var cause: Cause
  /// From the cause to the tone's start.
  var offset: Interval
  var hertz: Double
  /// How long it sounds if nothing cuts it short; nil if it does not end.
  var length: Interval?
  /// Whether the trace has an event for its start; false if it ends too early to show one.
  var isShown: Bool
  var line: Int
  var silenceLine: Int
}
