/// `classic` and `buzzer` as state machines: every place where those sketches block is a state.
///
///     reset ─▶ starting ──first write──▶ pausing ──start-up over──▶ idle
///
///     idle ── X ─▶ number ──any byte but a digit or 0xFF─▶ writing ─▶ idle      too large: idle
///       │  └─ X ─▶ announcing ─▶ number                     buzzer, the first after start-up or L
///       ├─ L ────▶ readingAngle ─▶ (look)
///       ├─ T O C ▶ settingUpTone ─▶ sounding ─▶ idle        buzzer
///       └─ else ─▶ purging ──ring empty─▶ idle             classic, if others wait; else idle
///
///     (look) ── ring empty ──▶ stepping ──stored──▶ delaying ─▶ (look)
///        └───── a byte ──────▶ leavingScan ──taken as in idle──▶ ...
///
/// The states follow the sketch's `setup()` (starting, pausing), `loop()` (idle, purging), the
/// function that reads a number (number, writing) and the scan loop (readingAngle to leavingScan).
/// `clock` is when the processor entered the state; the state determines how long it lasts.
package struct BlockingSketch<D: Dialect>: Sketch {
  private enum State: Hashable, Codable {
    case starting
    case pausing
    case idle
    case number(UInt16)
    case writing(UInt16)
    case purging
    case announcing
    case settingUpTone(UInt16)
    case sounding
    case readingAngle
    case stepping(ScanPosition)
    case delaying(ScanPosition, rereadsAngle: Bool)
    case leavingScan
  }

  package let timing: Timing
  private let firstEdge: Instant
  private var state: State
  private var clock: Instant
  /// When the state ends; the distant future if it waits for a byte. It follows from the state, the
  /// clock and the ring, and is cached because most arriving bytes need nothing else.
  private var stateEnd: Instant
  /// When the timer ends the tone, without help from the sketch; the distant future if there is no
  /// tone.
  private var toneEnd = Instant.distantFuture
  /// Whether the next `X` sounds the 900 Hz tone.
  private var announcesNext = D.announcesAim
  /// The pulse in the servo library's table, in microseconds; 0 before the first write.
  private var stored: UInt16 = 0
  /// The last pulse reported as an event.
  private var reported: UInt16 = 0

  package init(timing: Timing = D.timing, baud: Int, startingAt start: Instant) {
    self.timing = timing
    firstEdge = start + timing.firstPulse
    state = .starting
    clock = start
    stateEnd = start + timing.firstWrite
  }

  package init(timing: Timing, baud: Int, runningAt instant: Instant) {
    self.init(timing: timing, baud: baud, startingAt: instant)
    state = .idle
    stateEnd = .distantFuture
    stored = ServoLibrary.pulse(writing: 90)
  }

  package static var measuredTiming: Timing { D.timing }
  package var commandedPulse: UInt16? { stored == 0 ? nil : stored }
  package var pulseTrain: PulseTrain { PulseTrain(first: firstEdge, period: timing.pulsePeriod) }

  package var activity: Activity {
    switch state {
    case .starting, .pausing: .startingUp
    case .idle: .idle
    case .number(let value): .readingNumber(value)
    case .writing(let value): .aiming(value)
    case .purging: .purging
    case .announcing: .readingNumber(0)
    case .settingUpTone, .sounding: .sounding
    case .readingAngle, .leavingScan:
      .scanning(next: presentAngle, rising: presentAngle <= D.scan.upperBound)
    case .stepping(let sweep), .delaying(let sweep, _):
      .scanning(next: sweep.next, rising: sweep.isRising)
    }
  }

  package mutating func resume(with ring: RingBuffer) -> Bool {
    // A board in its bootloader starts later.
    guard clock != .distantFuture else { return false }
    stateEnd = endOfState(ring)
    // These two take a byte that waits.
    return switch state {
    case .purging, .leavingScan: !ring.isEmpty
    default: true
    }
  }

  package func nextDeadline(_ ring: RingBuffer) -> Instant? {
    let deadline = min(stateEnd, toneEnd)
    return deadline == .distantFuture ? nil : deadline
  }

  package mutating func wake(at instant: Instant) {
    switch state {
    case .idle, .number:
      clock = max(clock, instant)
      stateEnd = clock + timing.byteRead
    case .starting, .pausing, .writing, .purging, .announcing,
      .settingUpTone, .sounding, .readingAngle, .stepping, .delaying, .leavingScan:
      break
    }
  }

  package mutating func lostByte() {}

  package func halt(at instant: Instant, into recorder: inout Recorder) {
    if toneEnd != .distantFuture { recorder.put(.tone(hertz: 0), at: instant) }
  }

  @inline(__always)
  package mutating func advance(
    to end: Instant, reading ring: inout RingBuffer, into recorder: inout Recorder
  ) {
    if stateEnd <= end || toneEnd <= end { work(to: end, &ring, &recorder) }
  }

  private mutating func work(
    to end: Instant, _ ring: inout RingBuffer, _ recorder: inout Recorder
  ) {
    while true {
      if toneEnd <= end, toneEnd <= stateEnd, toneEnd != .distantFuture {
        recorder.put(.tone(hertz: 0), at: toneEnd)
        toneEnd = .distantFuture
        continue
      }
      guard stateEnd <= end, stateEnd != .distantFuture else { return }
      clock = stateEnd
      leaveState(&ring, &recorder)
      stateEnd = endOfState(ring)
    }
  }

  /// When the present state ends; the distant future if it waits for a byte that has not arrived.
  @inline(__always)
  private func endOfState(_ ring: RingBuffer) -> Instant {
    switch state {
    case .idle, .number: ring.isEmpty ? .distantFuture : clock + timing.byteRead
    case .starting: clock + timing.firstWrite
    case .pausing: clock + (timing.startUp - timing.firstWrite)
    case .writing(let value):
      clock + (Int16(bitPattern: value) >= 544 ? timing.pulseWrite : timing.angleWrite)
    case .purging: clock + timing.purgeRead
    case .announcing: clock + timing.aimToneSetUp
    case .settingUpTone: clock + timing.toneSetUp
    case .sounding: clock + timing.toneLength
    case .readingAngle: clock + timing.angleRead
    case .stepping: clock + timing.stepWrite
    case .delaying(_, let rereadsAngle):
      clock + (timing.step - timing.stepWrite) + (rereadsAngle ? timing.bottomTurn : .zero)
    case .leavingScan: clock + timing.scanExit
    }
  }

  @inline(__always)
  private mutating func leaveState(
    _ ring: inout RingBuffer, _ recorder: inout Recorder
  ) {
    switch state {
    case .starting:
      store(ServoLibrary.pulse(writing: 90), degrees: 90, &recorder)
      state = .pausing
    case .pausing, .sounding:
      state = .idle
    case .idle:
      let byte = ring.removeFirst()
      takeCommand(byte, endingScan: false, isAlone: ring.isEmpty, &recorder)
    case .number(let value):
      takeNumberByte(ring.removeFirst(), after: value, &recorder)
    case .writing(let value):
      let pulse = ServoLibrary.pulse(writing: Int16(bitPattern: value))
      store(pulse, degrees: ServoLibrary.degrees(reading: pulse), &recorder)
      state = .idle
    case .purging:
      _ = ring.removeFirst()
      recorder.took(.purged, at: clock, endedScan: false)
      if ring.isEmpty { state = .idle }
    case .announcing:
      sound(900, &recorder)
      state = .number(0)
    case .settingUpTone(let hertz):
      sound(hertz, &recorder)
      state = .sounding
    case .readingAngle:
      look(ScanPosition(from: presentAngle, in: D.scan), ring)
    case .stepping(var sweep):
      // For whole degrees, reading back returns what was written.
      store(ServoLibrary.pulse(writing: Int16(sweep.next)), degrees: sweep.next, &recorder)
      let rereadsAngle = sweep.advance(in: D.scan)
      state = .delaying(sweep, rereadsAngle: rereadsAngle)
    case .delaying(let sweep, _):
      look(sweep, ring)
    case .leavingScan:
      let byte = ring.removeFirst()
      takeCommand(byte, endingScan: true, isAlone: ring.isEmpty, &recorder)
    }
  }

  /// Peeks at the ring before a step of the scan. Any byte ends the scan.
  private mutating func look(_ sweep: ScanPosition, _ ring: RingBuffer) {
    state = ring.isEmpty ? .stepping(sweep) : .leavingScan
  }

  private mutating func takeCommand(
    _ byte: UInt8, endingScan: Bool, isAlone: Bool, _ recorder: inout Recorder
  ) {
    var fate = Fate.letter
    if D.beginsNumber(byte) {
      state = announcesNext ? .announcing : .number(0)
      announcesNext = false
    } else if byte == UInt8(ascii: "L") {
      state = .readingAngle
      announcesNext = D.announcesAim
    } else if let hertz = D.tone(of: byte) {
      state = .settingUpTone(hertz)
    } else {
      fate = .junk
      // The purge takes bytes in pairs until the first of a pair finds the ring empty. That last
      // look takes no time worth modelling, so pairs make no difference.
      state = D.purgesAtUnknown && !isAlone ? .purging : .idle
    }
    recorder.took(fate, at: clock, endedScan: endingScan)
  }

  private mutating func takeNumberByte(
    _ byte: UInt8, after value: UInt16, _ recorder: inout Recorder
  ) {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      recorder.took(.digit, at: clock, endedScan: false)
      state = .number(value &* 10 &+ UInt16(byte &- UInt8(ascii: "0")))
    case 0xFF:
      // In a signed char this is -1, which `read()` also returns if the ring is empty.
      recorder.took(.skipped, at: clock, endedScan: false)
    default:
      let isTerminator = byte == UInt8(ascii: ".")
      recorder.took(isTerminator ? .terminator : .swallowed, at: clock, endedScan: false)
      state = D.servoValue(of: value).map { .writing(UInt16(bitPattern: $0)) } ?? .idle
    }
  }

  private var presentAngle: UInt8 { ServoLibrary.degrees(reading: stored) }

  private mutating func store(
    _ pulse: UInt16, degrees: UInt8, _ recorder: inout Recorder
  ) {
    stored = pulse
    guard pulse != reported else { return }
    reported = pulse
    recorder.put(.servo(degrees: degrees, microseconds: pulse), at: clock)
  }

  private mutating func sound(_ hertz: UInt16, _ recorder: inout Recorder) {
    recorder.put(.tone(hertz: Double(hertz)), at: clock)
    toneEnd = clock + timing.toneLength
  }
}

package protocol Dialect: Hashable, Sendable {
  /// The figures of the build that was measured.
  static var timing: Timing { get }
  /// Whether an unknown byte makes the sketch discard all waiting bytes.
  static var purgesAtUnknown: Bool { get }
  /// Whether the first `X` after start-up or after `L` sounds a tone.
  static var announcesAim: Bool { get }
  /// Returns the tone of a letter, in hertz; nil if the letter is unknown.
  static func tone(of letter: UInt8) -> UInt16?
  /// Returns the value passed to the servo library for a number; nil if the number is ignored.
  static func servoValue(of number: UInt16) -> Int16?
  /// Whether a byte begins a number. State it with `@inline(__always)`: it is asked for every byte.
  static func beginsNumber(_ byte: UInt8) -> Bool
  /// The range of the scan, in degrees. By default, 20 to 160.
  static var scan: ClosedRange<UInt8> { get }
}

extension Dialect {
  package static var scan: ClosedRange<UInt8> { 20...160 }
}

extension SketchDescription {
  /// Derives a blocking sketch's description from its dialect.
  init<D: Dialect>(_: D.Type) {
    let bytes = UInt8.min...UInt8.max
    var letters: [UInt8: Letter] = [UInt8(ascii: "L"): .scan]
    for byte in bytes {
      if let hertz = D.tone(of: byte) { letters[byte] = .tone(hertz) }
    }
    self.init(
      aimLetters: bytes.filter { D.beginsNumber($0) }, letters: letters,
      numberCheck: D.servoValue(of: 181) == nil ? .ignoresOver180 : .none, scan: D.scan,
      purgesAtUnknown: D.purgesAtUnknown, announcesAim: D.announcesAim, polls: false,
      timing: D.timing)
  }
}

/// The position in a scan: a triangle wave between two angles, each of which is written twice.
///
/// The range is an argument, so that a saved position holds only what changes. The guarded sketch
/// has its own, `Guarded.Sweep`, which also runs on the chip.
package struct ScanPosition: Hashable, Sendable, Codable {
  /// The angle that the next step writes, in degrees.
  package var next: UInt8
  package var isRising: Bool

  /// Starts a scan at the servo's present angle, rising. From above the range, the scan jumps to
  /// its top and falls.
  @inline(__always)
  package init(from present: UInt8, in range: ClosedRange<UInt8>) {
    isRising = present <= range.upperBound
    next = isRising ? present : range.upperBound
  }

  /// Advances from the angle that was just written. Returns true at the bottom, where a blocking
  /// sketch reads the present angle back and starts again.
  @inline(__always)
  package mutating func advance(in range: ClosedRange<UInt8>) -> Bool {
    if isRising {
      if next == range.upperBound { isRising = false } else { next &+= 1 }
      return false
    }
    if next == range.lowerBound {
      isRising = true
      return true
    }
    next &-= 1
    return false
  }
}
