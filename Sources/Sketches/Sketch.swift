/// A program on the board, as a value. It reads bytes from the receive ring and moves the servo.
///
/// Time is an argument. A sketch knows when it next has something to do (`nextDeadline`) and does
/// everything due by a given instant (`advance`). Advancing in two steps is the same as in one.
package protocol Sketch: Hashable, Sendable, Codable {
  /// Creates the sketch after a reset at `start`, when its start-up begins. It opens the port at
  /// `baud` bits a second.
  init(timing: Timing, baud: Int, startingAt start: Instant)
  /// Creates the sketch some time after its start-up: idle, with the servo at an unknown angle, so
  /// that the next write counts as a change, whatever its angle.
  init(timing: Timing, baud: Int, runningAt instant: Instant)

  /// The figures of the build that was measured.
  static var measuredTiming: Timing { get }
  var timing: Timing { get }
  /// The last pulse stored for the servo, in microseconds; nil before the first.
  var commandedPulse: UInt16? { get }
  var pulseTrain: PulseTrain { get }
  var activity: Activity { get }

  /// Continues after the sketch was read from a file, with `ring` and a valid timing. Returns false
  /// if it could not run on.
  mutating func resume(with ring: RingBuffer) -> Bool

  /// Returns when the sketch next does something if no further byte arrives; nil if never.
  func nextDeadline(_ ring: RingBuffer) -> Instant?

  /// Notes that a byte arrived at `instant` in a ring that was empty.
  mutating func wake(at instant: Instant)
  /// Notes that a byte was lost because the ring was full.
  mutating func lostByte()
  /// Stops the sketch because the board restarts: abandons what it had begun and ends a tone.
  func halt(at instant: Instant, into recorder: inout Recorder)

  /// Does everything due up to and including `end`.
  mutating func advance(
    to end: Instant, reading ring: inout RingBuffer, into recorder: inout Recorder)
}

/// The sketches whose behaviour the bench models. The raw value is the name in a trace's header.
///
/// A new sketch is added here and in `Boards`; all other code uses its description.
package enum Firmware: String, Hashable, Sendable, Codable, CaseIterable {
  case classic, buzzer, guarded

  /// What distinguishes the sketch from the others.
  package var sketch: SketchDescription {
    switch self {
    case .classic: Classic.description
    case .buzzer: Buzzer.description
    case .guarded: GuardedLoop.description
    }
  }

  package static var list: String {
    let names = allCases.map { $0.rawValue }
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}

/// The differences between sketches that show outside their state machines. Code that treats
/// sketches differently uses this and never checks which sketch it has.
package struct SketchDescription: Hashable, Sendable {
  /// The meaning of a letter that is a complete command.
  package enum Letter: Hashable, Sendable {
    case scan
    /// Sounds a tone of this many hertz.
    case tone(UInt16)
    case status
    /// Turns a line for each servo write on or off.
    case telemetry
  }

  /// What the sketch does with a number that is not an angle.
  package enum NumberCheck: Hashable, Sendable {
    /// Refuses anything but one to three digits up to 180. Abandons an unfinished number.
    case refuses
    /// Ignores a value over 180, after it has wrapped at 65 536.
    case ignoresOver180
    /// Passes any value to the servo library, after it has wrapped at 65 536.
    case none
  }

  /// The bytes that begin a number.
  package var aimLetters: [UInt8] = [UInt8(ascii: "X")]
  /// The letters that are complete commands, by their bytes.
  package var letters: [UInt8: Letter]
  package var numberCheck: NumberCheck
  /// The range of the scan, in degrees.
  package var scan: ClosedRange<UInt8>
  /// Whether an unknown byte makes it discard all waiting bytes.
  package var purgesAtUnknown: Bool
  /// Whether the first aim after start-up or after `L` sounds a tone.
  package var announcesAim: Bool
  /// Whether it never blocks. It then takes bytes and steps by the millisecond clock, so that the
  /// length of a step does not depend on a build's figures.
  package var polls: Bool
  /// The figures of the build that was measured.
  package var timing: Timing

  /// Returns the meaning of a byte that is a complete command; nil if it is not one.
  package func letter(_ byte: UInt8) -> Letter? { letters[byte] }
  package func beginsNumber(_ byte: UInt8) -> Bool { aimLetters.contains(byte) }
  /// The letters that sound a tone, the highest tone first.
  package var toneLetters: [UInt8] {
    var tones: [(byte: UInt8, hertz: UInt16)] = []
    for (byte, letter) in letters {
      if case .tone(let hertz) = letter { tones.append((byte, hertz)) }
    }
    return tones.sorted { ($0.hertz, $1.byte) > ($1.hertz, $0.byte) }.map { $0.byte }
  }
  /// Whether a board with this sketch reports its servo writes.
  package var hasTelemetry: Bool { letters.values.contains(.telemetry) }
}

/// What a sketch is doing. The description is the wording used in reports.
package enum Activity: Hashable, Sendable, CustomStringConvertible {
  case startingUp
  case idle
  case readingNumber(UInt16)
  case purging
  case aiming(UInt16)
  case scanning(next: UInt8, rising: Bool)
  case sounding

  package var isScanning: Bool {
    if case .scanning = self { true } else { false }
  }

  package var isReadingNumber: Bool {
    if case .readingNumber = self { true } else { false }
  }

  package var description: String {
    switch self {
    case .startingUp: "starting up, reading nothing"
    case .idle: "idle"
    case .readingNumber(let value): "reading a number, \(value) so far"
    case .purging: "discarding the waiting bytes (purge)"
    case .aiming(let value): "writing \(value) to the servo"
    case .scanning(let next, let rising):
      "sweeping \(rising ? "up" : "down"), \(next) degrees next"
    case .sounding: "sounding a tone, reading nothing"
    }
  }
}
