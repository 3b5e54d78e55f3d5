package import Sketches
import Traces

/// A session as levels of the board's wires, and notes about what the sketch does.
///
/// A caller passes in what happens, in order of time, and takes the changes a part at a time:
///
///     waveform.send(bytes, at: instant)
///     while try waveform.step(to: next, into: &writer) { write(&writer.bytes) }
///
/// The memory it needs does not grow with the session's length. All lines are at rest in the first
/// sample, so that an edge at time 0 can be seen, one sample late.
package struct Waveform {
  /// The most samples in one step, and the longest time.
  private static let sliceTicks: Int64 = 1_000_000
  private static let sliceMax = Interval.milliseconds(100)
  /// How far bytes from the board can lag behind the times with which a computer stamped them.
  private static let backlogMax = Interval.seconds(2)
  private static let fatesMax = 60

  private let rate: SampleRate
  private let slice: Interval
  private let baud: Int
  /// The wires whose levels `drive` sets. The others are drawn from outputs.
  private let driven: Set<BoardWire>
  /// Set if the servo's pulses are not among the outputs.
  private var derived: DerivedPulses?

  private var sender: Sender
  /// The last frame to the board that has been drawn.
  private var lastFrame: ByteFrame?
  private var transmitter: ByteClock
  /// The board's wires at their raw values, and then the pins.
  private var lines: [ChangeQueue<Bool>]
  private var notes: [ChangeQueue<WaveValue>]
  private let pins: WavePins
  private var pinAngles: [ChangeQueue<Double>]
  private var tone: SquareWave?
  private var levels = WireLevels.atRest
  private var now = Instant.zero
  /// When the board stops: no pulse and no edge of a tone begins after it.
  private var end = Instant.distantFuture
  /// The end of the last byte on a line.
  private var lineEnd = Instant.zero
  /// All changes before this sample have been passed on.
  private var given: Int64 = 0
  private var lastTick: Int64 = 0

  /// Pulses that are drawn shorter, because the next began before their end.
  package private(set) var cutPulses = 0
  /// Bytes from the board that do not fit on its line at their times.
  package private(set) var lostTransmits = 0
  /// Tones that are not drawn, because they have less than two samples a period.
  package private(set) var lostTones = 0

  /// `baud` is the board's speed, and the sender's until another is set. With `deriving`, the
  /// servo's pulses follow from the widths that the sketch stored.
  package init(
    rate: SampleRate, baud: Int, driven: Set<BoardWire> = [], deriving: DerivedPulses? = nil,
    pins: WavePins = WavePins()
  ) throws(CaptureError) {
    try rate.check(baud: baud)
    self.rate = rate
    self.baud = baud
    self.driven = driven
    derived = deriving
    slice = min(Self.sliceMax, Interval(nanoseconds: Self.sliceTicks * 1_000_000_000 / rate.hertz))
    sender = Sender(baud: baud)
    transmitter = ByteClock(baud: baud, startingAt: .zero)
    lines = BoardWire.allCases.map { ChangeQueue($0.isHighAtRest) }
    lines += pins.pins.map { _ in ChangeQueue(false) }
    self.pins = pins
    // No angle is commanded yet.
    pinAngles = pins.pins.map { _ in ChangeQueue(-1) }
    notes = WaveNote.allCases.map { ChangeQueue($0.initial ?? .text("")) }
  }

  // MARK: What happens

  /// Sends bytes to the board, starting now or when the line is free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    sender.send(bytes, at: instant)
  }

  /// Sets the speed of bytes that are sent to the board from now on.
  package mutating func setSenderBaud(_ baud: Int) throws(CaptureError) {
    try rate.check(baud: baud)
    sender.baud = baud
  }

  /// Sets the format of bytes that are sent to the board from now on.
  package mutating func setSenderFormat(_ format: LineFormat) { sender.format = format }

  /// Holds the line to the board low. If the last break is not over, it only ends at another time.
  package mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    guard let frame = sender.sendBreak(lasting: length, at: instant) else { return }
    drawEnd(ofBreak: frame)
  }

  /// Makes the stop bit low of the byte to the board that is on the line, or of the next one with
  /// this value.
  package mutating func addFramingError(to byte: UInt8, at instant: Instant) {
    guard var frame = lastFrame, frame.end > instant, frame.byte == byte, frame.fault == nil else {
      return sender.addFramingError(to: byte)
    }
    frame.fault = .lowStop
    lastFrame = frame
    for index in frame.bitCount - 1..<frame.changeCount {
      let (instant, isHigh) = frame.change(index)
      set(.rx, isHigh, at: rate.tick(of: instant))
    }
  }

  /// Takes a restart of the board. The bootloader owns the line for `deadTime`.
  package mutating func reset(at instant: Instant, deadTime: Interval) {
    derived?.restart(at: instant + deadTime)
  }

  package mutating func take(_ output: Output, at instant: Instant) {
    switch output {
    case .servo(let degrees, let microseconds, nil):
      derived?.width = microseconds
      note(.angle, .number(Double(degrees)), at: instant)
    case .pulse(let microseconds, nil):
      if derived == nil, !driven.contains(.servo) {
        pulse(microseconds, on: BoardWire.servo.rawValue, at: instant)
      }
    case .tone(let hertz):
      note(.tone, .number(hertz), at: instant)
      if !driven.contains(.tone) { sound(hertz, at: instant) }
    case .transmit(let byte): transmit(byte, at: instant)
    case .lost(let byte, let why): took(byte, Fate(why), at: instant)
    case .servo(let degrees, _, let pin?):
      guard let index = pins.pins.firstIndex(of: pin) else { return }
      pinAngles[index].set(Double(degrees), at: max(rate.tick(of: instant), given, 1))
    case .pulse(let microseconds, let pin?):
      if let line = line(of: pin) { pulse(microseconds, on: line, at: instant) }
    default:
      // No other kind is drawn.
      guard case .pin(let pin, let isHigh) = output, let line = line(of: pin) else { return }
      set(line, isHigh, at: rate.tick(of: instant))
    }
  }

  private func line(of pin: BoardPin) -> Int? {
    pins.pins.firstIndex(of: pin).map { BoardWire.allCases.count + $0 }
  }

  /// Takes a level that the board puts on a wire.
  package mutating func take(_ change: WireChange) {
    set(change.wire, change.isHigh, at: rate.tick(of: change.time))
    if change.wire == .tx { lineEnd = max(lineEnd, change.time + ByteClock.byteTime(baud: baud)) }
  }

  /// Takes the fate of a byte, at the instant at which it was decided.
  package mutating func took(_ byte: UInt8, _ fate: Fate, at instant: Instant) {
    let tick = rate.tick(of: instant)
    var text = "\(ByteText.name(byte)) \(fate.rawValue)"
    // Several bytes can be discarded within a sample.
    if case .text(let earlier)? = notes[WaveNote.fate.rawValue].beginning(at: tick) {
      text = earlier.utf8.count > Self.fatesMax ? earlier : "\(earlier), \(text)"
    } else if notes[WaveNote.fate.rawValue].value(before: tick) == .text(text) {
      // Two bytes with the same fate are two changes.
      set(.fate, .text(""), at: tick - 1)
    }
    set(.fate, .text(text), at: tick)
  }

  package mutating func note(_ note: WaveNote, _ value: WaveValue, at instant: Instant) {
    set(note, value, at: rate.tick(of: instant))
  }

  private mutating func set(_ wire: BoardWire, _ isHigh: Bool, at tick: Int64) {
    set(wire.rawValue, isHigh, at: tick)
  }

  private mutating func set(_ line: Int, _ isHigh: Bool, at tick: Int64) {
    lines[line].set(isHigh, at: max(tick, given, 1))
  }

  private mutating func set(_ note: WaveNote, _ value: WaveValue, at tick: Int64) {
    notes[note.rawValue].set(value, at: max(tick, given))
  }

  private mutating func pulse(_ microseconds: Double, on line: Int, at instant: Instant) {
    let rise = rate.tick(of: instant)
    if lines[line].value(before: rise) {
      // Each rising edge must be visible.
      cutPulses += 1
      set(line, false, at: rise - 1)
    }
    set(line, true, at: rise)
    let width = Interval(nanoseconds: Int64((microseconds * 1_000).rounded()))
    set(line, false, at: rate.tick(of: instant + width))
  }

  private mutating func sound(_ hertz: Double, at instant: Instant) {
    makeTone(before: instant)
    set(.tone, false, at: rate.tick(of: instant))
    tone = SquareWave(hertz: hertz, from: instant)
    if let tone, !tone.isVisible(at: rate) {
      lostTones += 1
      self.tone = nil
    }
  }

  private mutating func transmit(_ byte: UInt8, at instant: Instant) {
    guard !driven.contains(.tx) else {
      let frame = ByteFrame(
        byte: byte, baud: baud, start: instant, end: instant + ByteClock.byteTime(baud: baud))
      return name(frame, in: .txByte)
    }
    guard transmitter.instant < instant + Self.backlogMax else {
      lostTransmits += 1
      return
    }
    if transmitter.instant < instant { transmitter.restart(at: instant) }
    let start = transmitter.instant
    transmitter.advance()
    draw(
      ByteFrame(byte: byte, baud: baud, start: start, end: transmitter.instant), on: .tx, .txByte)
  }

  private mutating func draw(_ frame: ByteFrame, on wire: BoardWire, _ note: WaveNote) {
    if frame.fault == .lineBreak {
      set(wire, false, at: rate.tick(of: frame.start))
      self.note(note, .text("break"), at: frame.start)
      return drawEnd(ofBreak: frame)
    }
    for index in 0..<frame.changeCount {
      let (instant, isHigh) = frame.change(index)
      set(wire, isHigh, at: rate.tick(of: instant))
    }
    name(frame, in: note)
    lineEnd = max(lineEnd, frame.end)
  }

  /// Draws the end of a break to the board, which can change until then.
  private mutating func drawEnd(ofBreak frame: ByteFrame) {
    set(.rx, true, at: rate.tick(of: frame.breakEnd))
    note(.rxByte, .text(""), at: frame.breakEnd)
  }

  /// Shows a byte until its stop bit, so that two equal bytes can be told apart.
  private mutating func name(_ frame: ByteFrame, in note: WaveNote) {
    self.note(note, .text(ByteText.name(frame.byte)), at: frame.start)
    self.note(note, .text(""), at: frame.edge(ofBit: frame.bitCount - 1))
  }

  // MARK: What it looks like

  /// Advances a step towards an instant, and writes the changes up to there. Returns false once the
  /// instant is reached. Nothing before the instant can be added afterwards.
  package mutating func step<Sink: WaveSink>(
    to instant: Instant, into sink: inout Sink
  ) throws(CaptureError) -> Bool {
    guard now < instant else { return false }
    now = min(instant, now + slice)
    makeFrames(before: now)
    makeTone(before: min(now, end))
    makePulses(before: min(now, end))
    // A pulse can still be cut one sample before the next.
    try give(before: rate.tick(of: now) - 1, to: &sink)
    return true
  }

  /// Ends the session. Returns how far to step before `finish`: until then, bytes that have begun
  /// are completed, and those that wait for the line are sent.
  package mutating func close(at instant: Instant) -> Instant {
    end = instant
    var rest = sender
    while let frame = rest.frame, frame.fault != .lineBreak {
      lineEnd = max(lineEnd, frame.end)
      rest.finishFrame()
    }
    return max(instant, lineEnd)
  }

  package mutating func finish<Sink: WaveSink>(_ sink: inout Sink) throws(CaptureError) {
    try give(before: .max, to: &sink)
    try sink.finish(at: max(rate.tick(of: now), lastTick + 1))
  }

  private mutating func makeFrames(before limit: Instant) {
    while let frame = sender.frame, frame.start < limit {
      lastFrame = frame
      draw(frame, on: .rx, .rxByte)
      sender.finishFrame()
    }
  }

  private mutating func makeTone(before limit: Instant) {
    while let edge = tone?.next(before: limit) {
      set(.tone, edge.isHigh, at: rate.tick(of: edge.instant))
    }
  }

  private mutating func makePulses(before limit: Instant) {
    while let next = derived?.next(before: limit) {
      pulse(Double(next.width), on: BoardWire.servo.rawValue, at: next.edge)
    }
  }

  private mutating func givePins(at tick: Int64, to sink: inout some WaveSink) {
    var changes: [WavePinChange] = []
    for index in pins.pins.indices {
      let line = BoardWire.allCases.count + index
      if lines[line].next == tick {
        changes.append(.level(index, isHigh: lines[line].removeFirst()))
      }
      if pinAngles[index].next == tick {
        changes.append(.angle(index, pinAngles[index].removeFirst()))
      }
    }
    if !changes.isEmpty { sink.change(changes) }
  }

  private mutating func give<Sink: WaveSink>(
    before limit: Int64, to sink: inout Sink
  ) throws(CaptureError) {
    while true {
      var tick = Int64.max
      for queue in lines { tick = min(tick, queue.next) }
      for queue in notes { tick = min(tick, queue.next) }
      for queue in pinAngles { tick = min(tick, queue.next) }
      guard tick < limit else { break }
      for wire in BoardWire.allCases where lines[wire.rawValue].next == tick {
        levels[wire] = lines[wire.rawValue].removeFirst()
      }
      var changed: [(WaveNote, WaveValue)] = []
      for note in WaveNote.allCases where notes[note.rawValue].next == tick {
        changed.append((note, notes[note.rawValue].removeFirst()))
      }
      lastTick = tick
      try sink.change(levels, changed, at: tick)
      if !pins.pins.isEmpty { givePins(at: tick, to: &sink) }
    }
    guard limit < .max, limit > given else { return }
    given = limit
    try sink.pass(to: limit)
  }
}

extension Waveform {
  /// Sentences about what could not be drawn as it was recorded.
  package var remarks: [String] {
    var remarks: [String] = []
    if cutPulses > 0 {
      remarks.append(
        "\(String(counting: cutPulses, "pulse")) drawn shorter: the next began before the end")
    }
    if lostTransmits > 0 {
      remarks.append(
        "\(String(counting: lostTransmits, "byte")) from the board not drawn: the line had no "
          + "time for them")
    }
    if lostTones > 0 {
      remarks.append(
        "\(String(counting: lostTones, "tone")) not drawn: a higher --samplerate is needed")
    }
    if pins.undrawnCount > 0 {
      remarks.append("\(String(counting: pins.undrawnCount, "pin")) not drawn: there are too many")
    }
    return remarks
  }
}

/// The pulses that follow from the widths that a sketch stored, for a recording without pulses: one
/// each period, with the width that was stored last.
package struct DerivedPulses: Hashable, Sendable {
  private let fromReset: Interval
  private let period: Interval
  private var edge: Instant
  /// The width that was stored last, in microseconds; nil before the first.
  package var width: UInt16?

  /// `timing` is that of the sketch, which has just been reset.
  package init(_ timing: Timing) {
    fromReset = timing.firstPulse
    period = timing.pulsePeriod
    edge = .zero + timing.firstPulse
  }

  /// Starts again for a sketch that restarts at an instant.
  mutating func restart(at instant: Instant) {
    width = nil
    edge = instant + fromReset
  }

  /// Returns the next pulse if its rising edge is before `end`.
  mutating func next(before end: Instant) -> (edge: Instant, width: UInt16)? {
    while edge < end {
      defer { edge += period }
      // As a device stamps its pulses.
      if let width { return (edge.roundedUpToMicrosecond, width) }
    }
    return nil
  }
}

/// The edges of a tone, generated as they are needed, since a tone can last for hours.
struct SquareWave {
  private let start: Instant
  /// In nanoseconds.
  private let halfPeriod: Double
  /// The number of edges so far. The first, at the start, is rising.
  private var count = 0.0

  /// Creates the wave; nil for silence.
  init?(hertz: Double, from start: Instant) {
    guard hertz > 0 else { return nil }
    self.start = start
    halfPeriod = 5e8 / hertz
  }

  /// Whether the edges are at least one sample apart.
  func isVisible(at rate: SampleRate) -> Bool { halfPeriod * Double(rate.hertz) >= 1e9 }

  /// Returns the next edge if it is before `end`.
  mutating func next(before end: Instant) -> (instant: Instant, isHigh: Bool)? {
    let past = (count * halfPeriod).rounded()
    // Far beyond any session, and small enough for the sum.
    guard past < 4e18 else { return nil }
    let instant = start + Interval(nanoseconds: Int64(past))
    guard instant < end else { return nil }
    defer { count += 1 }
    return (instant, count.truncatingRemainder(dividingBy: 2) == 0)
  }
}

/// The values of a wire or a note that are not written yet, each valid from a sample on.
struct ChangeQueue<Value: Equatable> {
  private var changes: [(tick: Int64, value: Value)] = []
  private var head = 0
  /// The value before the first change in the queue.
  private(set) var current: Value

  init(_ current: Value) { self.current = current }

  /// The sample of the first change; `Int64.max` if there is none.
  var next: Int64 { head < changes.count ? changes[head].tick : .max }

  /// The value after all changes.
  var last: Value { head < changes.count ? changes[changes.count - 1].value : current }

  /// Returns the value that begins at exactly this sample, if it is the last.
  func beginning(at tick: Int64) -> Value? {
    guard head < changes.count, let last = changes.last, last.tick == tick else { return nil }
    return last.value
  }

  /// Returns the value at the sample before this one.
  func value(before tick: Int64) -> Value {
    var index = changes.count
    while index > head {
      index -= 1
      if changes[index].tick < tick { return changes[index].value }
    }
    return current
  }

  /// Sets the value from a sample on, replacing the changes at or after it.
  mutating func set(_ value: Value, at tick: Int64) {
    while changes.count > head, changes[changes.count - 1].tick >= tick { changes.removeLast() }
    if last != value { changes.append((tick, value)) }
  }

  /// Removes the first change and returns its value. There must be one.
  mutating func removeFirst() -> Value {
    current = changes[head].value
    head += 1
    if head == changes.count {
      changes.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 4_096 {
      changes.removeFirst(head)
      head = 0
    }
    return current
  }
}
