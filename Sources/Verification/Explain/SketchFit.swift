import Traces
package import Turret

/// Whether the commands of a sketch can be what was sent to it.
///
/// A command fits if it begins with a letter for a number and a digit, whatever ends it, or if it
/// has nothing but the sketch's letters and white space. A line end, or a pause that breaks off a
/// command, separates two commands.
package struct SketchFit: Hashable, Sendable {
  private let firmware: Firmware
  private let sketch: SketchDescription
  /// The number of commands that have ended.
  private var count = 0
  /// Whether a command fits, so that there will be no objection.
  package private(set) var hasFit = false
  /// When the last byte of the open command arrived; nil if none is open.
  private var last: Instant?
  private var isOfLetters = true
  private var beginsNumber = false

  package init(_ firmware: Firmware) {
    self.firmware = firmware
    sketch = firmware.sketch
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
    case 0x09, 0x20: beginsNumber = false
    default:
      last = instant
      if beginsNumber, (0x30...0x39).contains(byte) { hasFit = true }
      beginsNumber = sketch.beginsNumber(byte)
      if sketch.letter(byte) == nil { isOfLetters = false }
    }
  }

  package mutating func take(_ bytes: [UInt8], at instant: Instant) {
    for byte in bytes { take(byte, at: instant) }
  }

  private mutating func finish() {
    beginsNumber = false
    guard last != nil else { return }
    last = nil
    count += 1
    if isOfLetters { hasFit = true }
    isOfLetters = true
  }

  /// What to do about an objection, in a command that shows a trace.
  package static let remedy =
    "--firmware selects another sketch of the bench, and --device avr:FILE any other program"

  /// Says that no command fits; nil if one does, or if there are fewer than two.
  package var objection: String? {
    var done = self
    done.finish()
    guard !done.hasFit, done.count > 1 else { return nil }
    return "none of \(done.count) commands fits \(firmware.rawValue)"
  }
}
