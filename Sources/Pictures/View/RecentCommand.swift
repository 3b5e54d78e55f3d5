import Traces
import Turret
import Verification

/// What a sender wrote as one thing, as the sketch understood it: a line of the view.
struct RecentCommand: Hashable {
  enum Standing: Hashable {
    /// The sketch does what it was asked for.
    case obeyed
    /// Its end has not come yet, or it waits in the ring.
    case pending
    /// Not what a sender wants.
    case misunderstood
    /// It never reached the sketch, or was thrown away.
    case lost
  }

  /// When its first byte had arrived.
  var time: Instant
  /// The bytes as they would be typed.
  var text: String
  /// What became of it, in words.
  var outcome: String
  var standing: Standing
  /// The angle it aimed at; nil where it is no aim, or was not obeyed.
  private var angle: Int?
  /// When its last byte had arrived.
  private var end: Instant

  /// A command that takes longer than this is worth a line before it has come to anything.
  private static let patience = Interval.milliseconds(50)

  /// The commands in the bytes, newest last. Aims that follow each other quicker than can be read
  /// become one line; a line's end goes with the command before it.
  static func find(in recent: [Ledger.Entry], status: LiveStatus) -> [RecentCommand] {
    var found: [RecentCommand] = []
    // Of a command whose beginning is no longer there, the rest says nothing.
    var index = recent.firstIndex { !continuesCommand($0.fate) } ?? recent.count
    while index < recent.count {
      if found.last?.isEnded(by: recent[index]) == true {
        found[found.count - 1].text += unquoted(recent[index...index])
        index += 1
        continue
      }
      // Junk is one word as long as it comes at once.
      let limit =
        recent[index].fate == .junk
        ? (index + 1..<recent.count).first {
          recent[$0].arrived - recent[$0 - 1].arrived > .milliseconds(100)
        } : nil
      let known = limit.map { Array(recent[..<$0]) } ?? recent
      let word = Word(known, from: index, firmware: status.firmware)
      index = word.range.upperBound
      let entries = recent[word.range]
      let command = RecentCommand(entries, word, isLast: index == recent.count, status)
      // What is only on its way would come and go thirty times a second.
      if command.standing == .pending, status.time - command.time < patience { continue }
      found.append(command)
    }
    return joined(found)
  }

  private init(
    _ entries: ArraySlice<Ledger.Entry>, _ word: Word, isLast: Bool, _ status: LiveStatus
  ) {
    let first = entries[entries.startIndex]
    time = first.arrived
    end = entries[entries.endIndex - 1].arrived
    text = Self.unquoted(entries)
    if entries.contains(where: { $0.fate == .waiting }) {
      outcome = "waits to be read"
      standing = .pending
    } else if isLast, Self.isUnfinished(entries, status) {
      outcome = "being read: its end has not come"
      standing = .pending
    } else if let trouble = word.misunderstanding {
      let subject = "`\(text)` "
      outcome = trouble.hasPrefix(subject) ? String(trouble.dropFirst(subject.count)) : trouble
      standing = entries.contains { $0.fate.isLost || $0.fate == .purged } ? .lost : .misunderstood
    } else {
      (outcome, angle) = Self.meaning(entries, status.firmware)
      standing = .obeyed
      if first.fate == .junk || first.fate == .swallowed { standing = .misunderstood }
      // The sketch was busy.
      let wait = (entries[entries.endIndex - 1].taken ?? end) - end
      if wait >= .milliseconds(1) {
        outcome += ", taken \(wait.nanoseconds / 1_000_000) ms late"
      }
    }
  }

  // MARK: -

  private static func unquoted(_ entries: ArraySlice<Ledger.Entry>) -> String {
    String(ByteText.quoted(entries.map(\.byte)).dropFirst().dropLast())
  }

  private static func continuesCommand(_ fate: Fate) -> Bool {
    switch fate {
    case .digit, .terminator, .swallowed, .skipped, .abandoned: true
    case .letter, .junk, .purged, .ringFull, .uartOverrun, .booting, .cleared, .waiting: false
    }
  }

  /// Whether this is a line's end, behind a command that was obeyed, and did no harm.
  private func isEnded(by entry: Ledger.Entry) -> Bool {
    standing == .obeyed && (entry.byte == 0x0A || entry.byte == 0x0D) && !entry.endedScan
      && (entry.fate == .junk || entry.fate == .swallowed)
  }

  /// Whether it is a number that the sketch is in the middle of.
  private static func isUnfinished(
    _ entries: ArraySlice<Ledger.Entry>, _ status: LiveStatus
  ) -> Bool {
    guard entries.first?.byte == UInt8(ascii: "X"), entries.first?.fate == .letter,
      entries.dropFirst().allSatisfy({ $0.fate == .digit || $0.fate == .skipped })
    else { return false }
    switch status.activity {
    case .readingNumber, nil: return true
    case .startingUp, .idle, .purging, .aiming, .scanning, .sounding: return false
    }
  }

  /// What an obeyed command asked for, and the angle if it aimed.
  private static func meaning(
    _ entries: ArraySlice<Ledger.Entry>, _ firmware: Firmware
  ) -> (String, Int?) {
    let first = entries[entries.startIndex]
    switch first.fate {
    case .letter: break
    case .swallowed: return ("ended the number before it", nil)
    default: return ("no command, skipped", nil)
    }
    switch Unicode.Scalar(first.byte) {
    case "X":
      let digits = entries.dropFirst().filter { $0.fate == .digit }
      // What wraps or is refused was a misunderstanding.
      let angle = digits.suffix(3).reduce(0) { $0 * 10 + Int($1.byte) - 48 }
      return ("aimed at \(angle)", angle)
    case "L": return ("sweeps", nil)
    case "T": return ("sounds 800 Hz", nil)
    case "O": return ("sounds 750 Hz", nil)
    case "C": return ("sounds 700 Hz", nil)
    case "?": return ("answers with its state", nil)
    case "V": return ("turns telemetry on or off", nil)
    default: return ("taken", nil)
    }
  }

  /// A camera aims thirty times a second: such a stream is one line, its last command and the
  /// angles before it.
  private static func joined(_ commands: [RecentCommand]) -> [RecentCommand] {
    var result: [RecentCommand] = []
    var index = 0
    while index < commands.count {
      var last = index
      while last + 1 < commands.count, commands[index].angle != nil,
        commands[last + 1].angle != nil,
        commands[last + 1].time - commands[last].end < .milliseconds(200)
      {
        last += 1
      }
      if last - index >= 2 {
        var stream = commands[last]
        let before = commands[index..<last].suffix(6).reversed().compactMap(\.angle)
        stream.outcome += ", after " + before.map { "\($0)" }.joined(separator: " ")
        result.append(stream)
      } else {
        result += commands[index...last]
      }
      index = last + 1
    }
    return result
  }
}
