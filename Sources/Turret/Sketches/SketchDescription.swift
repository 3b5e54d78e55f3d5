/// What distinguishes a sketch from the others, as far as it shows outside its state machine. Code
/// that treats sketches differently asks this, never which sketch it has.
package struct SketchDescription: Hashable, Sendable {
  /// What a letter that is a command by itself asks for.
  package enum Letter: Hashable, Sendable {
    case scan
    /// A tone, hertz.
    case tone(UInt16)
    /// A status line.
    case status
    /// A line for each servo write, on or off.
    case telemetry
  }

  /// What the sketch does with a number that is not an angle.
  package enum NumberCheck: Hashable, Sendable {
    /// Refuses anything but one to three digits up to 180. Abandons a number that has no end.
    case refuses
    /// Ignores a value over 180, after it has wrapped at 65 536.
    case ignoresOver180
    /// Passes any value to the servo library, after it has wrapped at 65 536.
    case none
  }

  /// The bytes that begin a number.
  package var aimLetters: [UInt8] = [UInt8(ascii: "X")]
  /// The letters that are commands by themselves, by their bytes.
  package var letters: [UInt8: Letter]
  package var numberCheck: NumberCheck
  /// The angles between which it scans, degrees.
  package var scan: ClosedRange<UInt8>
  /// Whether an unknown byte makes it discard everything that waits.
  package var purgesAtUnknown: Bool
  /// Whether the first aim after start-up or after `L` sounds a tone.
  package var announcesAim: Bool
  /// Whether it never blocks: it takes bytes and steps by the millisecond clock, so that no build's
  /// figures change the length of a step.
  package var polls: Bool
  /// The figures of the build that was measured.
  package var timing: Timing

  /// The meaning of a byte that is a command by itself; nil if it is not one.
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
