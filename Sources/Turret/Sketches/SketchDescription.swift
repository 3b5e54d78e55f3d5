/// The differences between sketches that show outside their state machines. Code that treats
/// sketches differently uses this and never checks which sketch it has.
package struct SketchDescription: Hashable, Sendable {
  /// The meaning of a letter that is a complete command.
  package enum Letter: Hashable, Sendable {
    case scan
    /// Sounds a tone of this many hertz.
    case tone(UInt16)
    /// Requests a status line.
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
