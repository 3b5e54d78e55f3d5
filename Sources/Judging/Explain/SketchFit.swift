package import Sketches
import Traces

/// Whether the commands of a sketch can be what was sent to it.
///
/// A command fits if it begins with a letter for a number and a digit, whatever ends it, or if it
/// has nothing but the sketch's letters and white space. A line end, or a pause that breaks off a
/// command, separates two commands.
package struct SketchFit: Hashable, Sendable {
  /// How much of what was sent fits.
  package struct Census: Hashable, Sendable {
    package var commands = 0
    /// The bytes without white space, and those of them that belong to commands of the sketch.
    package var bytes = 0
    package var fitting = 0
    /// How many numbers began: a letter for one with a digit after it.
    package var numbers = 0

    package init() {}

    /// Whether at least half of the bytes fit.
    package var fits: Bool { bytes > 0 && fitting * 2 >= bytes }
    /// Whether nearly no byte fits: fewer than one in eight. But numbers are so rare in random
    /// bytes, one in 6 600 of them, that two in a thousand show that commands were sent.
    package var isForeign: Bool {
      bytes > 0 && fitting * 8 < bytes && (numbers < 2 || numbers * 1_000 < bytes)
    }
  }

  /// The bytes of a command that has not ended.
  private struct Open: Hashable {
    var bytes = 0
    var numbers = 0
    var letters = 0
    /// The letters that begin a number, whatever follows.
    var starts = 0
  }

  private enum Meaning: Hashable {
    case none, letter, numberStart
  }

  private let firmware: Firmware
  /// What each byte is to the sketch. A table, because each byte of a recording is looked up.
  private let meanings: [Meaning]
  /// The commands that have ended.
  private var found = Census()
  private var open = Open()
  /// Whether a command fits, so that there will be no objection.
  package private(set) var hasFit = false
  /// When the last byte of the open command arrived; nil if none is open.
  private var last: Instant?
  /// Whether the last byte begins a number, and whether it continues one.
  private var beginsNumber = false
  private var isInNumber = false

  package init(_ firmware: Firmware) {
    self.firmware = firmware
    let sketch = firmware.sketch
    meanings = (0...UInt8.max).map { byte in
      sketch.beginsNumber(byte) ? .numberStart : sketch.letter(byte) == nil ? .none : .letter
    }
  }

  package init(_ entries: [Ledger.Entry], _ firmware: Firmware) {
    self.init(firmware)
    for entry in entries { take(entry.byte, at: entry.arrived) }
  }

  /// Takes the next byte that was sent.
  package mutating func take(_ byte: UInt8, at instant: Instant) {
    if let last, instant - last >= CommandSplitter.silence { finish() }
    switch byte {
    case 0x0A, 0x0D: finish()
    case 0x09, 0x20: (beginsNumber, isInNumber) = (false, false)
    default:
      last = instant
      open.bytes += 1
      let isDigit = (0x30...0x39).contains(byte)
      if isDigit, beginsNumber {
        open.numbers += 2
        found.numbers += 1
      }
      if isDigit && isInNumber || byte == UInt8(ascii: ".") && isInNumber { open.numbers += 1 }
      isInNumber = isDigit && (beginsNumber || isInNumber)
      let meaning = meanings[Int(byte)]
      beginsNumber = meaning == .numberStart
      if beginsNumber { open.starts += 1 }
      if meaning == .letter { open.letters += 1 }
    }
  }

  package mutating func take(_ bytes: [UInt8], at instant: Instant) {
    for byte in bytes { take(byte, at: instant) }
  }

  private mutating func finish() {
    (beginsNumber, isInNumber) = (false, false)
    guard last != nil else { return }
    last = nil
    found.commands += 1
    found.bytes += open.bytes
    if open.letters == open.bytes || open.numbers > 0 {
      hasFit = true
      found.fitting += open.numbers + open.letters
    } else {
      found.fitting += open.starts
    }
    open = Open()
  }

  /// How much of what has been sent so far fits.
  package var census: Census {
    var done = self
    done.finish()
    return done.found
  }

  /// What to do about an objection, in a command that shows a trace.
  package static let remedy =
    "--firmware selects another sketch of the bench, and --device avr:FILE any other program"

  /// Says that no command fits; nil if one does, or if there are fewer than two.
  package var objection: String? {
    var done = self
    done.finish()
    guard !done.hasFit, done.found.commands > 1 else { return nil }
    return "none of \(done.found.commands) commands fits \(firmware.rawValue)"
  }
}
