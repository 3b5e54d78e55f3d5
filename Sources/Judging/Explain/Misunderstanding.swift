package import Sketches
import Traces

/// A command that the sketch took differently from what its sender probably intended.
package struct Misunderstanding: Hashable, Sendable {
  /// What is the same when a command is misunderstood in the same way at another time.
  package struct Pattern: Hashable, Sendable {
    /// The command's bytes, with the one after it if it has no end.
    var bytes: [UInt8]
    /// What became of them.
    var fates: [Fate]
    /// Whether the command ended a scan.
    var endedScan: Bool
  }

  package var time: Instant
  package var text: String
  package var pattern: Pattern

  /// Parses the bytes as a sender writes them, `X` digits `.` and single letters. Returns, in order
  /// of time, the commands that the sketch did not carry out as intended.
  package static func find(
    in entries: [Ledger.Entry], firmware: Firmware
  ) -> [Misunderstanding] {
    var index = 0
    return find(in: entries, from: &index, firmware: firmware)
  }

  /// Parses the bytes from an index on, which it moves on to the first command that begins at an
  /// instant or later; nil for none.
  static func find(
    in entries: [Ledger.Entry], from index: inout Int, before end: Instant? = nil,
    firmware: Firmware
  ) -> [Misunderstanding] {
    var found: [Misunderstanding] = []
    while index < entries.count, end.map({ entries[index].arrived < $0 }) ?? true {
      let command = IntendedCommand(entries, from: index, firmware: firmware)
      if let text = command.misunderstanding {
        found.append(
          Misunderstanding(
            time: entries[index].arrived, text: text, pattern: command.pattern))
      }
      index = command.range.upperBound
    }
    return found
  }

  /// The heading of a list of lines.
  package static let heading = "What the sender probably meant and did not get:"
  /// The maximum number of lines in a report about rules.
  private static let listedMax = 10
  /// The maximum number that is kept of a session.
  static let keptMax = 10_000

  /// Returns the lines of misunderstood commands with their heading, for a report about rules; none
  /// if there are none.
  package static func list(_ lines: [String]) -> [String] {
    guard !lines.isEmpty else { return [] }
    let rest = lines.count - listedMax
    return [heading] + lines.prefix(listedMax).map { "  \($0)" }
      + (rest > 0 ? ["  and \(lines.count < keptMax ? "" : "at least ")\(rest) more"] : [])
  }

  /// The time and the text as one line.
  package var line: String { "\(String(canonical: time.roundedUpToMicrosecond)) s  \(text)" }
}

/// A run of bytes that a sender intended as one command: `X` digits `.`, a letter, or unknown
/// bytes.
package struct IntendedCommand {
  package enum Kind: Hashable, Sendable {
    /// `X` and digits, with or without the final `.`.
    case aim(isEnded: Bool)
    case letter
    case unknown
  }

  package let range: Range<Int>
  package let kind: Kind
  private let entries: [Ledger.Entry]
  private let sketch: SketchDescription

  package init(_ entries: [Ledger.Entry], from start: Int, firmware: Firmware) {
    self.entries = entries
    let sketch = firmware.sketch
    self.sketch = sketch
    var end = start + 1
    switch entries[start].byte {
    case let byte where sketch.beginsNumber(byte):
      while end < entries.count, Self.isDigit(entries[end].byte) || entries[end].fate == .skipped {
        end += 1
      }
      let isEnded = end < entries.count && entries[end].byte == UInt8(ascii: ".")
      if isEnded { end += 1 }
      kind = .aim(isEnded: isEnded)
    case let byte where sketch.letter(byte) != nil:
      kind = .letter
    default:
      while end < entries.count, entries[end].fate == entries[start].fate,
        !sketch.beginsNumber(entries[end].byte), sketch.letter(entries[end].byte) == nil
      {
        end += 1
      }
      kind = .unknown
    }
    range = start..<end
  }

  /// What went wrong with the command; nil if nothing did.
  package var misunderstanding: String? {
    if let loss { return loss }
    return switch kind {
    case .aim(let isEnded): isEnded ? endedAim : openAim
    case .letter: first.fate == .junk ? "\(text) is not a command of this firmware" : nil
    case .unknown: unknown
    }
  }

  /// How the command was taken, without its time. The next byte matters if the command has no end.
  var pattern: Misunderstanding.Pattern {
    var taken = entries[range]
    if case .aim(isEnded: false) = kind, let next { taken.append(next) }
    return Misunderstanding.Pattern(
      bytes: taken.map { $0.byte }, fates: taken.map { $0.fate },
      endedScan: taken.contains { $0.endedScan })
  }

  /// The number after `X`; nil if there is none, or if it does not fit.
  package var aimed: Int64? { digits.isEmpty ? nil : value }
  /// The meaning of a command that is a single letter; nil if it is not one.
  package var letter: SketchDescription.Letter? { sketch.letter(first.byte) }
  package var bytes: [UInt8] { entries[range].map { $0.byte } }

  // MARK: -

  private var text: String { ByteText.quoted(bytes) }
  private var first: Ledger.Entry { entries[range.lowerBound] }
  /// The byte after the command.
  private var next: Ledger.Entry? {
    range.upperBound < entries.count ? entries[range.upperBound] : nil
  }

  private var digits: [UInt8] { bytes.filter(Self.isDigit) }
  /// The digits' value without any wrap; nil if it has more than 18 significant digits.
  private var value: Int64? {
    let significant = digits.drop { $0 == 48 }
    return significant.count <= 18 ? significant.reduce(0) { $0 * 10 + Int64($1 - 48) } : nil
  }
  private var wrapped: UInt16 {
    digits.reduce(0) { $0 &* 10 &+ UInt16($1 - 48) }
  }

  /// Why the command did not reach the sketch or was discarded, from its first byte with such a
  /// fate.
  private var loss: String? {
    guard let lost = entries[range].first(where: { Self.isLoss($0.fate) }) else { return nil }
    let isWhole = entries[range].allSatisfy { Self.isLoss($0.fate) }
    let what = isWhole ? text : "\(ByteText.quoted([lost.byte])) of \(text)"
    switch lost.fate {
    case .ringFull: return "\(what) was lost: 63 bytes were waiting already"
    case .uartOverrun: return "\(what) was lost: the sketch kept interrupts off too long"
    case .booting: return "\(what) was lost: the bootloader owned the line"
    case .cleared: return "\(what) was waiting when the board restarted, and was lost"
    case .purged:
      let junk = entries[..<range.lowerBound].last { $0.fate == .junk }
      let cause = junk.map { "the junk byte \(ByteText.quoted([$0.byte]))" } ?? "a junk byte"
      return "\(what) was discarded: after \(cause) the sketch emptied its buffer"
    case .waiting:
      return "\(what) was never taken: the session ended first, or the sketch was stuck"
    case .wireLost, .adapterLost, .letter, .digit, .terminator, .swallowed, .skipped, .junk,
      .abandoned, .taken, .arrived:
      return nil
    }
  }

  /// What went wrong with `X` digits `.`, which can still have been misread.
  private var endedAim: String? {
    switch first.fate {
    case .swallowed: return swallowedStart
    case .letter: break
    default: return "\(text) was not understood"
    }
    if digits.isEmpty {
      return sketch.numberCheck == .refuses
        ? "\(text) has no digits and was refused"
        : "\(text) has no digits: that is 0, and the servo swings to 0 degrees"
    }
    switch sketch.numberCheck {
    case .refuses:
      if digits.count > 3 { return "\(text) has more than three digits and was refused" }
      return value ?? 0 > 180 ? "\(text) is over 180 and was refused" : refusal
    case .ignoresOver180:
      guard value ?? .max > 180 else { return nil }
      return value ?? .max > 65_535
        ? "\(text) wraps at 65 536 to \(wrapped)" + (wrapped > 180 ? ", and was ignored" : "")
        : "\(text) is over 180 and was ignored"
    case .none:
      guard value ?? .max > 180 else { return nil }
      let pulse = ServoLibrary.pulse(writing: Int16(bitPattern: wrapped))
      let wrap = value ?? .max > 65_535 ? "wraps at 65 536 to \(wrapped) and " : ""
      return "\(text) \(wrap)is not checked: it became a pulse of \(pulse) us, "
        + "\(ServoLibrary.degrees(reading: pulse)) degrees"
    }
  }

  /// Why the number was refused. Even three valid digits can have timed out.
  private var refusal: String? {
    entries[range].contains { $0.fate == .abandoned || $0.fate == .junk }
      ? "\(text) took longer than 250 ms and was abandoned" : nil
  }

  /// What went wrong with `X` and digits without a `.`.
  private var openAim: String? {
    if first.fate == .swallowed { return swallowedStart }
    guard first.fate == .letter else { return "\(text) was not understood" }
    guard let next else {
      return sketch.numberCheck == .refuses
        ? "\(text) had no end"
        : "\(text) had no end: the sketch waits for one, and does nothing else until it comes"
    }
    if sketch.numberCheck == .refuses {
      return "\(text) had no end and was abandoned; what followed was not lost"
    }
    guard next.fate == .swallowed else { return "\(text) had no end" }
    let zero = digits.isEmpty ? "; it had no digits, so the servo swings to 0 degrees" : ""
    switch next.byte {
    case let byte where beginsCommand(byte):
      let late = next.arrived - entries[range.upperBound - 1].arrived
      let wait = late > .milliseconds(2) ? ", \(late.nanoseconds / 1_000_000) ms late" : ""
      return "\(text) had no end; the \(ByteText.quoted([next.byte])) of the next command "
        + "ended it\(wait) and was lost\(zero)"
    case 0x0A, 0x0D, 0x20:
      return digits.isEmpty ? "\(text) had no digits: the servo swings to 0 degrees" : nil
    default:
      return "\(text) was ended by \(ByteText.quoted([next.byte]))\(zero)"
    }
  }

  private var swallowedStart: String {
    "\(text) was not understood: its \(ByteText.quoted([first.byte])) "
      + "ended the number before it and was lost"
  }

  private var unknown: String? {
    if entries[range].contains(where: { $0.endedScan }), first.fate == .junk {
      return "\(text) is not a command, and stopped the scan"
    }
    guard first.fate == .junk else { return nil }
    let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
    if lower.contains(first.byte), beginsCommand(first.byte - 0x20) {
      return "\(text) is not understood: commands are capital letters"
    }
    return nil
  }

  /// Whether a byte begins an aim or a scan.
  private func beginsCommand(_ byte: UInt8) -> Bool {
    sketch.beginsNumber(byte) || sketch.letter(byte) == .scan
  }

  private static func isLoss(_ fate: Fate) -> Bool {
    switch fate {
    case .ringFull, .uartOverrun, .booting, .cleared, .purged, .waiting: true
    case .wireLost, .adapterLost, .letter, .digit, .terminator, .swallowed, .skipped, .junk,
      .abandoned, .taken, .arrived:
      false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
