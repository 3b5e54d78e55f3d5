import Devices
package import Sketches
package import Traces

/// What holds in all, in some and in none of a session's worlds.
package struct WorldFindings: Hashable, Sendable {
  /// A command that not every world took.
  package struct Command: Hashable, Sendable {
    /// As its sender wrote it.
    package var text: [UInt8]
    /// When it began according to the recording.
    package var time: Instant
    /// The trace's line.
    package var line: Int
    /// How many worlds had each outcome. See `WorldReference.outcome(of:)`.
    package var outcomes: [Fate: Int]
  }

  /// The number of worlds that were replayed; the first is the recording itself.
  package let count: Int
  /// How many of them have the recorded outputs.
  package let agreeing: Int
  /// How many of them show nothing to compare.
  package let undecided: Int
  package let seed: UInt64
  package let uncertainty: Interval
  /// How early or late an output could be.
  package let tolerance: Interval
  /// The commands that at least one world did not take, in order.
  package let commands: [Command]
  /// Where worlds first differ, the most frequent place first.
  private let places: [WorldTally.Difference]
  /// How far a byte is moved at most in the nearest agreeing world; nil if none was searched for.
  package var nearest: Interval?
  /// For each byte in order of arrival, the number of worlds in which it had each fate.
  package let fates: [[Fate: Int]]

  package init(
    _ tally: WorldTally, _ reference: WorldReference, of session: UncertainSession, seed: UInt64,
    tolerance: Interval
  ) {
    count = tally.count
    agreeing = tally.agreeing
    undecided = tally.undecided
    self.seed = seed
    uncertainty = session.uncertainty
    self.tolerance = tolerance
    func whole(_ others: [Fate: Int]?, _ recorded: Fate) -> [Fate: Int] {
      var counts = others ?? [:]
      let rest = tally.count - counts.values.reduce(0, +)
      if rest > 0 { counts[recorded] = rest }
      return counts
    }
    fates = reference.entries.enumerated().map { whole(tally.fates[$0], $1.fate) }
    var commands: [Command] = []
    for (index, command) in reference.commands.enumerated() where !command.isCut {
      let outcomes = whole(tally.outcomes[index], command.outcome)
      guard outcomes[.letter] != tally.count else { continue }
      let bytes = session.bytes[command.bytes]
      // A line end is no command. That it stopped a sweep is told with the recorded times.
      guard let first = bytes.first,
        outcomes[.junk] != tally.count || !bytes.allSatisfy({ $0.value.isBlank })
      else { continue }
      commands.append(
        Command(
          text: bytes.map { $0.value }, time: first.recorded, line: first.line,
          outcomes: outcomes))
    }
    self.commands = commands
    places = tally.differences.values.sorted {
      ($1.count, $0.example.line, $0.example.message)
        < ($0.count, $1.example.line, $1.example.message)
    }
  }

  /// Returns the verdict over all worlds. `recorded` is that of the recorded times.
  package func verdict(recorded: Verdict) -> Verdict {
    var verdict = recorded
    verdict.worlds = self
    // The recorded times are one of the worlds. If none of them agrees, they differ too.
    if agreeing == count || agreeing == 0 && undecided == 0 { return verdict }
    if case .nothingToCompare(let why) = recorded.outcome, agreeing == 0 {
      verdict.outcome = .undecided(why)
    } else {
      verdict.outcome = .undecided(
        "the device has the recorded outputs in \(share(agreeing)) of \(timings)")
    }
    return verdict
  }
}

/// The findings as text and as JSON.
extension WorldFindings {
  /// How many commands and how many places a report lists at most.
  private static let listedCountMax = 20

  /// `1 000 timings`.
  var timings: String { Self.grouped(count) + (count == 1 ? " timing" : " timings") }

  /// How the worlds were made, as the end of a sentence.
  package var conditions: String {
    "\(timings) within \(String(readable: uncertainty)) of the recorded times (seed \(seed))"
  }

  /// A line for each command that some worlds took and others did not.
  package var openCommandLines: [String] {
    lines(commands.filter { $0.outcomes.count > 1 })
  }

  /// The distance of the nearest agreeing world as a sentence; nil if none was searched for.
  package var nearestText: String? {
    nearest.map { shift in
      shift == .zero
        ? "the recorded times agree"
        : "the nearest timing found that agrees moves no byte by more than "
          + String(readable: shift)
    }
  }

  /// A line for each command that no world took as it was sent.
  package var lostCommandLines: [String] {
    lines(commands.filter { $0.outcomes.count == 1 })
  }

  /// A line for each place where some worlds first differ from the trace.
  package var differenceLines: [String] {
    let lines = places.prefix(Self.listedCountMax).map { place in
      "line \(place.example.line): the first difference in \(share(place.count)) of \(timings): "
        + place.example.message
    }
    return lines + Self.rest(of: places.count, "place")
  }

  private func lines(_ commands: [Command]) -> [String] {
    let lines = commands.prefix(Self.listedCountMax).map {
      Misunderstanding.line($0.time, sentence(of: $0))
    }
    return lines + Self.rest(of: commands.count, "command")
  }

  private static func rest(of count: Int, _ noun: String) -> [String] {
    count > listedCountMax
      ? ["and \(String(counting: count - listedCountMax, "more \(noun)"))"] : []
  }

  /// Returns what became of a command, as a sentence without its full stop.
  private func sentence(of command: Command) -> String {
    let parts = [
      part("lost", command) { !$0.isPartOfCommand && !$0.isMisread && $0 != .waiting },
      part("not understood", command) { $0.isMisread }, part("open", command) { $0 == .waiting },
    ]
    return "\(ByteText.quoted(command.text)) was "
      + parts.compactMap { $0 }.joined(separator: ", and ")
  }

  /// Returns in how many worlds a command had such a fate, and why; nil if it had none.
  private func part(_ verb: String, _ command: Command, _ isIncluded: (Fate) -> Bool) -> String? {
    let outcomes = Fate.allCases.filter(isIncluded).compactMap { fate in
      command.outcomes[fate].map { (reason: fate.reason, count: $0) }
    }
    guard let first = outcomes.first else { return nil }
    let total = outcomes.reduce(0) { $0 + $1.count }
    let head = "\(verb) in \(share(total)) of \(timings): "
    guard outcomes.count > 1 else { return head + first.reason }
    return head + outcomes.map { "\($0.reason) (\(share($0.count)))" }.joined(separator: ", ")
  }

  /// Returns a number of worlds as `all`, `none` or a percentage of them.
  package func share(_ part: Int) -> String {
    if part >= count { return "all" }
    if part <= 0 { return "none" }
    // From 1 to 99 in whole percent; outside that, never rounded to all or none.
    let whole = (part * 200 + count) / (2 * count)
    if part * 100 >= count, part * 100 <= 99 * count { return "\(whole) %" }
    let tenths = min(999, max(1, (part * 2_000 + count) / (2 * count)))
    return "\(tenths / 10).\(tenths % 10) %"
  }

  /// Writes a number with its digits in groups of three.
  static func grouped(_ number: Int) -> String {
    var text = ""
    let digits = String(number)
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += " " }
      text.append(digit)
    }
    return text
  }

  /// The findings as a JSON object.
  package var json: JSONValue {
    var json = JSONText()
    json.add("count", count)
    json.add("agree", agreeing)
    json.add("nothing_to_compare", undecided)
    json.add("seed", .number(String(seed)))
    json.add("uncertainty", uncertainty)
    json.add("tolerance", tolerance)
    if let nearest { json.add("nearest", nearest) }
    json.add("commands", .array(commands.map(Self.json)))
    json.add(
      "differences",
      .array(
        places.map { place in
          var json = JSONText()
          json.add("line", place.example.line)
          json.add("count", place.count)
          json.add("message", place.example.message)
          return json.value
        }))
    return json.value
  }

  private static func json(_ command: Command) -> JSONValue {
    var json = JSONText()
    json.add("text", String(latin1: command.text))
    json.add("time", command.time.roundedUpToMicrosecond)
    json.add("line", command.line)
    json.add("taken", command.outcomes[.letter] ?? 0)
    json.add("outcomes", counts(command.outcomes.filter { $0.key != .letter }))
    return json.value
  }

  /// Returns counts by fate as a JSON object, in the order of the fates.
  static func counts(_ counts: [Fate: Int]) -> JSONValue {
    var json = JSONText()
    for fate in Fate.allCases {
      if let count = counts[fate] { json.add(fate.rawValue, count) }
    }
    return json.value
  }
}

extension Fate {
  /// Whether the sketch took the byte for something else than its sender meant.
  fileprivate var isMisread: Bool { self == .swallowed || self == .junk || self == .abandoned }

  /// Whether the sketch took the byte, as part of a command as far as that is known.
  var isPartOfCommand: Bool {
    switch self {
    case .letter, .digit, .terminator, .skipped, .taken, .arrived: true
    default: false
    }
  }

  /// Why a byte with this fate was not taken.
  var reason: String {
    switch self {
    case .purged: "after an unknown byte the sketch emptied its buffer"
    case .ringFull: "63 bytes were waiting already"
    case .uartOverrun: "the sketch kept interrupts off too long"
    case .parity: "its parity was wrong"
    case .booting: "the bootloader owned the line"
    case .cleared: "it was waiting when the board restarted"
    case .waiting: "the trace ends before the sketch takes it"
    case .wireLost: "it was lost on the wire"
    case .adapterLost: "it was lost in the adapter"
    case .swallowed: "it ended the number before it"
    case .junk: "it is not a command there"
    case .abandoned: "the sketch abandoned it"
    case .letter, .digit, .terminator, .skipped, .taken, .arrived: "it was taken"
    }
  }
}
