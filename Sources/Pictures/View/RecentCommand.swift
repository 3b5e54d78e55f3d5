import Judging
import Sketches
import Traces

/// A command from a sender, as the sketch interpreted it: a line of the view.
struct RecentCommand: Hashable {
  /// The raw value is sent to dashboards.
  enum Standing: String {
    /// The sketch carried it out.
    case obeyed
    /// It is a command of a profile. How the sketch interpreted it is unknown.
    case sent
    /// It is incomplete, or it is waiting in the ring.
    case pending
    /// The sketch did something other than what the sender intended.
    case misunderstood
    /// It never reached the sketch, or was discarded.
    case lost
  }

  /// When its first byte arrived.
  var time: Instant
  /// The bytes as they would be typed.
  var text: String
  /// What happened to it, in words.
  var outcome: String
  var standing: Standing
  /// The angle at which it aimed; nil if it is not an aim or was not obeyed.
  private var angle: Int?
  /// When its last byte arrived.
  private var end: Instant

  /// A pending command is shown only if it takes longer than this.
  private static let pendingMin = Interval.milliseconds(50)

  /// Returns the last commands, newest last: those of the profile, if there is one.
  static func find(in status: LiveStatus, each: Bool = false) -> [RecentCommand] {
    guard status.describesCommands else {
      return find(in: status.recent, status: status, each: each)
    }
    var found = status.sent.map { RecentCommand($0) }
    if let open = status.unfinished, status.time - open.begin >= pendingMin {
      var command = RecentCommand(open)
      (command.outcome, command.standing) = ("not complete yet", .pending)
      found.append(command)
    }
    return found
  }

  /// Returns the commands in the bytes, newest last. Aims that arrive too quickly to be read are
  /// combined into one line, unless each is needed. A newline belongs to the command before it.
  private static func find(
    in recent: [Ledger.Entry], status: LiveStatus, each: Bool
  ) -> [RecentCommand] {
    var found: [RecentCommand] = []
    // Skip the rest of a command whose beginning is no longer available.
    var index = recent.firstIndex { !continuesCommand($0.fate) } ?? recent.count
    while index < recent.count {
      if found.last?.isEnded(by: recent[index]) == true {
        found[found.count - 1].text += unquoted(recent[index...index])
        index += 1
        continue
      }
      // Junk that arrives without a pause counts as one command.
      let limit =
        recent[index].fate == .junk
        ? (index + 1..<recent.count).first {
          recent[$0].arrived - recent[$0 - 1].arrived > .milliseconds(100)
        } : nil
      let known = limit.map { Array(recent[..<$0]) } ?? recent
      let intended = IntendedCommand(known, from: index, firmware: status.firmware)
      index = intended.range.upperBound
      let entries = recent[intended.range]
      let command = RecentCommand(entries, intended, isLast: index == recent.count, status)
      // Otherwise a command in transit would appear and disappear thirty times a second.
      if command.standing == .pending, status.time - command.time < pendingMin { continue }
      found.append(command)
    }
    return each ? found : joined(found)
  }

  private init(
    _ entries: ArraySlice<Ledger.Entry>, _ intended: IntendedCommand, isLast: Bool,
    _ status: LiveStatus
  ) {
    let first = entries[entries.startIndex]
    time = first.arrived
    end = entries[entries.endIndex - 1].arrived
    text = Self.unquoted(entries)
    if entries.contains(where: { $0.fate == .waiting }) {
      outcome = "waits to be read"
      standing = .pending
    } else if isLast, Self.isUnfinished(entries, status) {
      outcome = "being read: not complete yet"
      standing = .pending
    } else if let trouble = intended.misunderstanding {
      let subject = "`\(text)` "
      outcome = trouble.hasPrefix(subject) ? String(trouble.dropFirst(subject.count)) : trouble
      standing = entries.contains { $0.fate.isLost || $0.fate == .purged } ? .lost : .misunderstood
    } else {
      (outcome, angle) = Self.meaning(entries, status.firmware)
      standing = .obeyed
      if first.fate == .junk || first.fate == .swallowed { standing = .misunderstood }
      // The sketch was busy with something else.
      let wait = (entries[entries.endIndex - 1].taken ?? end) - end
      if wait >= .milliseconds(1) {
        // A whole number of milliseconds is exact enough here.
        let late = Interval.milliseconds(wait.nanoseconds / 1_000_000)
        outcome += ", taken \(String(readable: late)) late"
      }
    }
  }

  /// A command as it was sent, by the grammar of a profile.
  private init(_ sent: SentCommand) {
    time = sent.begin
    end = sent.last
    text = String(ByteText.quoted(sent.text).dropFirst().dropLast())
    switch sent.form {
    case .whole where sent.isRefused:
      (outcome, standing) = ("has a number that the profile does not allow", .misunderstood)
    case .whole: (outcome, standing) = ("sent", .sent)
    case .brokenOff: (outcome, standing) = ("was sent without its end", .misunderstood)
    case .unknown: (outcome, standing) = ("is not a command of the profile", .misunderstood)
    }
  }

  // MARK: -

  private static func unquoted(_ entries: ArraySlice<Ledger.Entry>) -> String {
    String(ByteText.quoted(entries.map { $0.byte }).dropFirst().dropLast())
  }

  private static func continuesCommand(_ fate: Fate) -> Bool {
    switch fate {
    case .digit, .terminator, .swallowed, .skipped, .abandoned: true
    default: false
    }
  }

  /// Whether this byte is a harmless newline after a command that was obeyed.
  private func isEnded(by entry: Ledger.Entry) -> Bool {
    standing == .obeyed && (entry.byte == 0x0A || entry.byte == 0x0D) && !entry.endedScan
      && (entry.fate == .junk || entry.fate == .swallowed)
  }

  /// Whether it is a number that the sketch is still reading.
  private static func isUnfinished(
    _ entries: ArraySlice<Ledger.Entry>, _ status: LiveStatus
  ) -> Bool {
    guard let first = entries.first, status.firmware.sketch.beginsNumber(first.byte),
      first.fate == .letter,
      entries.dropFirst().allSatisfy({ $0.fate == .digit || $0.fate == .skipped })
    else { return false }
    switch status.activity {
    case .readingNumber, nil: return true
    case .startingUp, .idle, .purging, .aiming, .scanning, .sounding: return false
    }
  }

  /// The meaning of an obeyed command, and its angle if it is an aim.
  private static func meaning(
    _ entries: ArraySlice<Ledger.Entry>, _ firmware: Firmware
  ) -> (String, Int?) {
    let first = entries[entries.startIndex]
    switch first.fate {
    case .letter: break
    case .swallowed: return ("ended the number before it", nil)
    default: return ("not a command, skipped", nil)
    }
    if firmware.sketch.beginsNumber(first.byte) {
      let digits = entries.dropFirst().filter { $0.fate == .digit }
      // A number that wraps or is refused counts as misunderstood.
      let angle = digits.suffix(3).reduce(0) { $0 * 10 + Int($1.byte) - 48 }
      return ("aimed at \(angle)", angle)
    }
    return switch firmware.sketch.letter(first.byte) {
    case .scan: ("sweeps", nil)
    case .tone(let hertz): ("sounds \(hertz) Hz", nil)
    case .status: ("answers with its state", nil)
    case .telemetry: ("turns telemetry on or off", nil)
    case nil: ("taken", nil)
    }
  }

  /// A camera aims thirty times a second. Such a stream is combined into one line: its last command
  /// and the angles before it.
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
        let before = commands[index..<last].suffix(6).reversed().compactMap { $0.angle }
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

extension LiveDrawing {
  /// Draws as many commands as fit, newest last, with a heading if there is room for one.
  mutating func drawCommands(in area: ScreenArea) {
    if status.monitor.isShown { return drawMonitor(status.monitor, in: area) }
    var area = area
    if area.rows >= Self.commandRowsMin {
      let heading =
        status.describesCommands ? "commands as they were sent" : "commands as they are understood"
      drawRule(heading, in: area.takeRows(1))
    }
    guard area.rows > 0, area.columns > 0 else { return }
    guard status.counts.commands != nil || status.describesCommands else {
      canvas.put("how the sketch interprets bytes is unknown", .faint, in: area)
      return
    }
    let commands = RecentCommand.find(in: status)
    guard !commands.isEmpty else {
      canvas.put("none yet", .faint, in: area)
      return
    }
    var blocks: [[[ScreenRun]]] = []
    var left = area.rows
    for command in commands.reversed() {
      let block = lines(command, columns: area.columns, linesMax: min(3, left))
      guard block.count <= left else { break }
      blocks.append(block)
      left -= block.count
      if left == 0 { break }
    }
    for (index, line) in blocks.reversed().joined().enumerated() {
      canvas.put(line, in: area, line: index)
    }
  }

  /// The time, bytes and fate; text that does not fit continues on the next line.
  private func lines(_ command: RecentCommand, columns: Int, linesMax: Int) -> [[ScreenRun]] {
    let isNarrow = columns < 56
    let seconds = String(canonical: command.time.roundedUpToMicrosecond)
    let time = isNarrow ? String(seconds.dropLast(3)) : seconds
    let timeColumns = isNarrow ? 8 : 11
    let textColumns = isNarrow ? 6 : 8
    let indent = timeColumns + textColumns + (isNarrow ? 2 : 4)
    let gap = isNarrow ? " " : "  "
    let style: ScreenStyle =
      switch command.standing {
      case .obeyed, .sent: .plain
      case .pending: .faint
      case .misunderstood: .warning
      case .lost: .alarm
      }
    // Long bytes are truncated at the end.
    var text = command.text
    if text.unicodeScalars.count > textColumns {
      text = String(text.unicodeScalars.prefix(textColumns - 1)) + "…"
    }
    let words = ScreenText.wrapped(
      command.outcome, to: max(1, columns - indent), linesMax: linesMax)
    return words.enumerated().map { index, words in
      guard index == 0 else {
        return [ScreenRun(String(repeating: " ", count: indent)), ScreenRun(words, style)]
      }
      return [
        ScreenRun(ScreenText.rightAligned(time, to: timeColumns) + gap, .faint),
        ScreenRun(ScreenText.padded(text, to: textColumns) + gap, .strong),
        ScreenRun(words, style),
      ]
    }
  }
}
