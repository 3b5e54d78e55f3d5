/// The earlier prototype.
package typealias BuzzerSketch = BlockingSketch<Buzzer>

/// `buzzer`: skips unknown bytes one at a time, sounds tones, does not check the range.
package enum Buzzer: Dialect {
  /// As in `classic`, from recordings of the original sketch on an emulated chip, unless a comment
  /// states otherwise.
  package static let timing = {
    var timing = Classic.timing
    timing.firstWrite = .microseconds(206)
    // When the first waiting command takes effect, less its reads, write and tone.
    timing.startUp = .microseconds(1_000_209)
    // From the arrival of a `T` to the aim after it: 160 197 us, of which the sound takes 160 000.
    timing.toneSetUp = .microseconds(197)
    // How much later the first waiting command takes effect than in classic.
    timing.aimToneSetUp = .microseconds(233)
    // The sketch's argument to tone(). Timer 2 rounds: on a chip 900 Hz lasts 158.98 ms.
    timing.toneLength = .milliseconds(160)
    return timing
  }()

  package static let description = SketchDescription(Buzzer.self)
  package static let purgesAtUnknown = false
  package static let announcesAim = true

  package static func tone(of letter: UInt8) -> UInt16? {
    switch letter {
    case UInt8(ascii: "T"): 800
    case UInt8(ascii: "O"): 750
    case UInt8(ascii: "C"): 700
    default: nil
    }
  }

  @inline(__always)
  package static func beginsNumber(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "X") }

  /// The 16-bit value is passed to the servo library as a signed int, unchecked.
  package static func servoValue(of number: UInt16) -> Int16? { Int16(bitPattern: number) }
}
