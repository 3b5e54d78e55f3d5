package import Sketches
import Traces

/// Who should have done otherwise when a command was not carried out.
package enum Culprit: Hashable, Sendable {
  /// The sender: it sent something that is not a command, an angle that is too large, or no full
  /// stop, or it sent while the bootloader owned the line.
  case sender
  /// The sketch: it lost or discarded a byte, or aimed wrong.
  case sketch
  /// Neither: the board restarted.
  case neither
}

extension UInt8 {
  /// Whether it is a line end or a space, which can stand between commands.
  package var isBlank: Bool { self == 0x0A || self == 0x0D || self == 0x20 }
}

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
    /// Whether another command or the session's end follows in place of a number's full stop.
    var isOpenNumber: Bool
  }

  package let time: Instant
  package let text: String
  let pattern: Pattern
  let culprit: Culprit

  /// Nil if the command was carried out as intended.
  fileprivate init?(_ command: IntendedCommand) {
    guard let text = command.misunderstanding else { return nil }
    (time, self.text) = (command.first.arrived, text)
    (pattern, culprit) = (command.pattern, command.culprit)
  }

  /// Parses the bytes as a sender writes them, `X` digits `.` and single letters, from an index on,
  /// which it moves on to the first command that begins at `end` or later; nil for none. Returns,
  /// in order of time, the commands that the sketch did not carry out as intended.
  static func find(
    in entries: [Ledger.Entry], from index: inout Int, before end: Instant? = nil,
    firmware: Firmware
  ) -> [Misunderstanding] {
    var found: [Misunderstanding] = []
    while index < entries.count, end.map({ entries[index].arrived < $0 }) ?? true {
      let command = IntendedCommand(entries, from: index, firmware: firmware)
      if let item = Misunderstanding(command) { found.append(item) }
      index = command.range.upperBound
    }
    return found
  }

  /// The heading of a list of lines.
  package static let heading = "What the sender probably meant and did not get:"
  /// The maximum number of lines in a report about rules.
  package static let listedMax = 10
  /// The maximum number that is kept of a session.
  static let keptMax = 10_000

  /// Returns misunderstood commands with their heading, for a report about rules; none without any.
  package static func list(_ lines: [String]) -> [String] {
    guard !lines.isEmpty else { return [] }
    let rest = lines.count - listedMax
    return [heading] + lines.prefix(listedMax).map { "  \($0)" }
      + (rest > 0 ? ["  and \(lines.count < keptMax ? "" : "at least ")\(rest) more"] : [])
  }

  /// The time and the text as one line.
  package var line: String { Self.line(time, text) }

  static func line(_ time: Instant, _ text: String) -> String {
    "\(Explanation.seconds(time)) s  \(text)"
  }
}

/// What became of a session's commands.
package struct CommandFindings: Hashable, Sendable {
  /// Those that the sketch did not carry out as intended, in order of time.
  package private(set) var misunderstandings: [Misunderstanding] = []
  /// What the session's end left open, in order of time, each as a line.
  private var open: [String] = []
  /// The number of commands, without those that are open, and of bytes outside of them.
  private var commandCount = 0
  private var otherCount = 0
  /// Whether a byte never reached the board.
  private var hasLosses = false
  /// The sketch's name.
  private let name: String

  /// Parses the bytes of a session. `end`: as for `IntendedCommand`.
  package init(_ entries: [Ledger.Entry], firmware: Firmware, end: Instant?) {
    name = firmware.rawValue
    let arrived = entries.filter { !$0.fate.isBeforeBoard }
    hasLosses = arrived.count < entries.count
    var index = 0
    while index < arrived.count {
      let command = IntendedCommand(arrived, from: index, firmware: firmware, end: end)
      index = command.range.upperBound
      if let item = Misunderstanding(command) {
        misunderstandings.append(item)
      } else if let text = command.openEnd {
        open.append(Misunderstanding.line(command.first.arrived, text))
      } else if command.kind != .unknown {
        commandCount += 1
      } else {
        otherCount += command.bytes.count { !$0.isBlank }
      }
    }
  }

  /// Returns the lines of what is open at the end, with their heading; none if nothing is.
  var openLines: [String] {
    open.isEmpty ? [] : [Self.openHeading] + open.map { "  \($0)" }
  }

  static let openHeading = "Open where the trace ends, which is no fault:"

  /// How the commands were taken, without a full stop; nil if any went wrong, or none was sent.
  package var faultless: String? {
    guard misunderstandings.isEmpty, !hasLosses, commandCount + open.count > 0 else { return nil }
    var parts: [String] = []
    switch commandCount {
    case 0: break
    case 1: parts.append("\(name) took the only whole command as it was meant")
    default: parts.append("\(name) took each of the \(commandCount) commands as it was meant")
    }
    if !open.isEmpty { parts.append("\(open.count) \(open.count == 1 ? "is" : "are") open") }
    if otherCount > 0 {
      let verb = otherCount == 1 ? "belongs" : "belong"
      parts.append("\(String(counting: otherCount, "byte")) \(verb) to no command")
    }
    return parts.joined(separator: "; ")
  }

  /// What that rests on, as a sentence.
  package var basis: String {
    "This is what the model of \(name) does with these bytes at these times; what the board "
      + "did was not compared."
  }
}

/// Bytes that a sender intended as one command: `X` digits `.`, a letter, or unknown bytes.
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
  private let end: Instant?

  /// `end`: until when everything that was sent is known; nil if the session goes on.
  package init(
    _ entries: [Ledger.Entry], from start: Int, firmware: Firmware, end: Instant? = nil
  ) {
    self.entries = entries
    self.end = end
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
    if isWaiting || isCut { return nil }
    return switch kind {
    case .aim(let isEnded): isEnded ? endedAim : openAim
    case .letter: first.fate == .junk ? "\(text) is not a command of this firmware" : nil
    case .unknown: unknown
    }
  }

  /// What the session's end left open of a command with which nothing went wrong: bytes that the
  /// sketch had not taken yet, or a number whose full stop could have followed. Nil if nothing.
  package var openEnd: String? {
    if isWaiting {
      let waiting = entries[range].filter { $0.fate == .waiting }
      let isPart = waiting.count < range.count
      let what = ByteText.quoted(waiting.map { $0.byte }) + (isPart ? " of \(text)" : "")
      let isUnderway = end.map { end in waiting.allSatisfy { $0.arrived > end } } ?? false
      return isUnderway ? "\(what) was still on the line" : "\(what) still waited to be taken"
    }
    return isCut ? "\(text) had no end yet" : nil
  }

  /// Whether the sketch had not taken all of its bytes at the session's end.
  private var isWaiting: Bool { entries[range].contains { $0.fate == .waiting } }

  /// Whether the session ended so soon after a number without its full stop that the sender can
  /// have been in the middle of it. A longer pause breaks a command off.
  private var isCut: Bool {
    guard kind == .aim(isEnded: false), next == nil || isLineEndWaiting, let end,
      first.fate == .letter
    else { return false }
    return end - entries[range.upperBound - 1].arrived < CommandSplitter.silence
  }

  /// Whether the line end that follows it had not been taken at the session's end.
  private var isLineEndWaiting: Bool {
    next.map { $0.fate == .waiting && $0.byte.isBlank } ?? false
  }

  private var isOpenNumber: Bool {
    kind == .aim(isEnded: false)
      && next.map { sketch.beginsNumber($0.byte) || sketch.letter($0.byte) != nil } ?? true
  }

  /// Who should have done otherwise, if the command was not carried out.
  fileprivate var culprit: Culprit {
    switch entries[range].first(where: { Self.isLoss($0.fate) })?.fate {
    case .ringFull, .uartOverrun, .purged: .sketch
    case .cleared: .neither
    default: .sender
    }
  }

  /// How the command was taken, without its time. The next byte matters if the command has no end.
  fileprivate var pattern: Misunderstanding.Pattern {
    var taken = entries[range]
    if case .aim(isEnded: false) = kind, let next { taken.append(next) }
    return Misunderstanding.Pattern(
      bytes: taken.map { $0.byte }, fates: taken.map { $0.fate },
      endedScan: taken.contains { $0.endedScan }, isOpenNumber: isOpenNumber)
  }

  /// The number after `X`; nil if there is none, or if it does not fit.
  package var aimed: Int64? { digits.isEmpty ? nil : value }
  /// The meaning of a command that is a single letter; nil if it is not one.
  package var letter: SketchDescription.Letter? { sketch.letter(first.byte) }
  package var bytes: [UInt8] { entries[range].map { $0.byte } }

  // MARK: -

  private var text: String { ByteText.quoted(bytes) }
  fileprivate var first: Ledger.Entry { entries[range.lowerBound] }
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

  /// Why the first byte that did not reach the sketch, or was discarded, was lost; nil for none.
  private var loss: String? {
    guard let lost = entries[range].first(where: { Self.isLoss($0.fate) }) else { return nil }
    let isWhole = entries[range].allSatisfy { Self.isLoss($0.fate) }
    let what = isWhole ? text : "\(ByteText.quoted([lost.byte])) of \(text)"
    switch lost.fate {
    case .cleared: return "\(what) was waiting when the board restarted, and was lost"
    case .purged:
      let junk = entries[..<range.lowerBound].last { $0.fate == .junk }
      let cause = junk.map { "the junk byte \(ByteText.quoted([$0.byte]))" } ?? "a junk byte"
      return "\(what) was discarded: after \(cause) the sketch emptied its buffer"
    default: return "\(what) was lost: \(lost.fate.reason)"
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
    if isLineEndWaiting { return nil }
    if sketch.numberCheck == .refuses, next.fate != .waiting {
      return "\(text) had no end and was abandoned; what followed was not lost"
    }
    guard next.fate == .swallowed else { return "\(text) had no end" }
    let zero = digits.isEmpty ? "; it had no digits, so the servo swings to 0 degrees" : ""
    switch next.byte {
    case let byte where beginsCommand(byte):
      let late = next.arrived - entries[range.upperBound - 1].arrived
      let wait = late > .milliseconds(2) ? " \(late.nanoseconds / 1_000_000) ms late" : ""
      return "\(text) had no end; the \(ByteText.quoted([next.byte])) of the next command "
        + "ended it\(wait) and was lost\(zero)"
    case let byte where byte.isBlank:
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
      return "\(text) is not a command, and stopped the sweep"
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
    case .ringFull, .uartOverrun, .parity, .booting, .cleared, .purged: true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
