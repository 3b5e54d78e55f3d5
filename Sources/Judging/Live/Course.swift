import Devices
import Sketches
import Traces

/// The effects of a session's inputs in the model: when each byte is taken, which bytes aim, and
/// when the sketch scans. It provides the instant from which an output is timed, never the outputs
/// to expect.
struct Course: Sendable {
  private var model: Model
  private var recorder = Recorder(ledger: Ledger())
  private var now = Instant.zero
  /// The first byte that can still be waiting.
  private var oldest = 0
  let timing: Timing
  let sketch: SketchDescription
  /// When the sketch started: at the session's start and after each reset.
  private(set) var starts: [Instant] = [.zero]
  /// When the board was reset.
  private(set) var resets: [Instant] = []
  /// The servo writes of bytes that ended a number.
  private(set) var aims: [Int: ServoState] = [:]
  private(set) var outputs: [TimedOutput] = []
  /// When each byte was taken, in order; bytes never taken are left out.
  private(set) var taken: ArraySlice<(time: Instant, byte: Int)> = []
  private(set) var activities: ActivityLog

  init(_ setup: SessionSetup) {
    model = Model(
      setup.firmware, timing: setup.timing, baud: setup.baud, isRunning: setup.start == .unknown,
      showsPulses: false)
    sketch = setup.firmware.sketch
    activities = ActivityLog(polls: sketch.polls)
    var timing = setup.timing ?? sketch.timing
    if sketch.polls { timing.step = sketch.timing.step }
    self.timing = timing
    activities.note(model.activity, at: .zero)
  }

  /// The fates of the bytes that have arrived and are kept.
  var fates: [Ledger.Entry] { recorder.ledger?.entries ?? [] }
  /// The index of the first byte that is kept, counted from 0.
  private(set) var firstFate = 0

  /// Whether `count` bytes have arrived and all of them have been taken or lost.
  func hasTaken(_ count: Int) -> Bool { oldest >= count }

  mutating func take(_ event: Event) {
    guard event.isInput else { return }
    advance(to: event.time)
    model.take(event, into: &recorder)
    if case .reset(let deadTime) = event.kind {
      resets.append(event.time)
      starts.append(event.time + deadTime)
      note()
    }
  }

  /// Advances one event at a time, so that the effect of a byte shows in the sketch's next action.
  mutating func advance(to end: Instant) {
    while let due = model.nextDeadline, due <= end {
      now = max(due, now + .nanoseconds(1))
      model.advance(to: now, into: &recorder)
      note()
    }
    if now < end {
      model.advance(to: end, into: &recorder)
      now = end
      note()
    }
  }

  /// Forgets all outputs, and what else happened before an instant, but for waiting bytes.
  mutating func drop(before instant: Instant) {
    outputs = []
    activities.drop(before: instant)
    taken = taken[taken.partitioningIndex { $0.time >= instant }...]
    // A mishap's time is in whole microseconds.
    let count = fates.prefix(oldest - firstFate)
      .prefix { $0.arrived.roundedUpToMicrosecond < instant }.count
    recorder.dropFates(count)
    firstFate += count
    for byte in aims.keys where byte < firstFate { aims[byte] = nil }
  }

  /// Returns all bytes that are kept, including those still on the line when the session is over.
  func allBytes() -> [Ledger.Entry] {
    var ledger = recorder.ledger ?? Ledger()
    var model = model
    for rest in model.takeUndelivered() { ledger.arrived(rest.byte, at: rest.end) }
    return ledger.entries
  }

  private mutating func note() {
    activities.note(model.activity, at: now)
    if !recorder.isEmpty {
      outputs += recorder.outputs
      recorder.drain()
    }
    while let count = recorder.ledger?.entries.count, oldest - firstFate < count,
      let entry = recorder.ledger?.entries[oldest - firstFate], entry.fate != .waiting
    {
      if let time = entry.taken {
        taken.append((time, oldest))
        if entry.fate == .terminator || entry.fate == .swallowed,
          case .aiming(let value) = model.activity
        {
          aims[oldest] = ServoState(writing: value)
        }
      }
      oldest += 1
    }
  }
}

/// The servo's last command.
struct ServoState: Hashable {
  var degrees: UInt8
  /// In microseconds.
  var pulse: UInt16

  /// The state after a value is passed to the servo library.
  init(writing value: UInt16) {
    pulse = ServoLibrary.pulse(writing: Int16(bitPattern: value))
    degrees = ServoLibrary.degrees(reading: pulse)
  }

  /// The state after an event of the session's own servo; nil for any other output.
  init?(_ output: Output?) {
    guard case .servo(let degrees, let microseconds, nil) = output else { return nil }
    self.degrees = degrees
    pulse = microseconds
  }

  var output: Output { .servo(degrees: degrees, microseconds: pulse) }
}

/// The servo events of an endless sweep, in order: the firmware's own sweep from a given angle.
struct SweepPlan: Sequence, IteratorProtocol {
  private let timing: Timing
  private let range: ClosedRange<UInt8>
  private var scan: ScanPosition
  private var due: Instant
  private var state: ServoState

  /// Creates a sweep whose `L` is taken at `begin`, with the servo at `state`.
  init(_ timing: Timing, in range: ClosedRange<UInt8>, from state: ServoState, begin: Instant) {
    self.timing = timing
    self.range = range
    self.state = state
    scan = ScanPosition(from: state.degrees, in: range)
    due = begin + timing.angleRead + timing.stepWrite
  }

  mutating func next() -> (time: Instant, state: ServoState)? {
    // The ends are written twice, so at most two steps change nothing.
    while true {
      let time = due
      let written = ServoState(writing: UInt16(scan.next))
      due += scan.advance(in: range) ? timing.step + timing.bottomTurn : timing.step
      if written.pulse != state.pulse {
        state = written
        return (time, written)
      }
    }
  }
}
