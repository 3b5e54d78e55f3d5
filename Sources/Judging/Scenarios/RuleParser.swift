import Sketches
import Traces

/// Parses rules in the notation of a scenario file.
package struct RuleParser {
  /// The file's path, as in a rule's place.
  private let path: String

  /// The words that begin a rule, as they are listed in messages. The rows are those of the manual:
  ///
  /// | `{servo: 110, within: 50ms, of: "X110."}` | the commanded angle is 110 at most 50 ms after
  /// the first byte of each such command. There must be one |
  /// | `servo: 108..112`, `servo: 110 ± 2` | the commanded angle is in the range |
  /// | `servo D10: 110`, `servo tilt: 110` | the same for another servo than the session's own, by
  /// its pin or its name in a profile; also with `shaft`, `pulse`, `angles` and `ends` |
  /// | `{servo: 45, before: 3s}` | it happens earlier than that |
  /// | `{shaft: 110 ± 2, within: 400ms, of: "X110."}` | the modelled shaft is there |
  /// | `pulse: 1678us ± 3us` | a pulse on the pin has that width |
  /// | `attached: D9`, `detached: D9` | pulses begin, or stop, on the pin of a servo; only an
  /// emulated chip shows it |
  /// | `tx: "ok *"` | the board sends such a line |
  /// | `{tone: 900, within: 100ms, of: "T"}` | the buzzer sounds |
  /// | `{pin fire: 1, within: 100ms, of: "F"}` | the pin changes to 1 in that time, or is at 1 for
  /// all of it. See [pins](#pins) |
  /// | `{pin D7: pulse, at least: 40ms, at most: 60ms}` | the pin goes high and low again, and is
  /// high for 40 to 60 ms. Each limit can be left out |
  /// | `{pin D7: pulse, count: 2, within: 1s, of: "F"}` | exactly two such pulses begin within 1 s
  /// of each such command, or in the whole session |
  /// | `{pin D3: duty, at least: 24%, at most: 26%}` | the pin is high for that part of a cycle |
  /// | `never: {pin laser: 1, while: sweeping}` | the pin never has that level, or shows no such
  /// pulse. Without `while`, in the whole session |
  /// | `exactly: [{servo: 45}, {servo: 135}]` | these follow each other with no other output of
  /// that kind between them |
  /// | `never: [lost, junk, swallowed, abandoned, refused, wrong-speed, reset, unanswered, twitch]`
  /// | none of these happens |
  /// | `never: {lost: 1, unless: fault}` | none of the named happens, except up to a second after a
  /// [fault](faults.md#rules) |
  /// | `recovers: {within: 2s, after: fault}` | the first whole command after the last fault is
  /// obeyed in that time |
  /// | `sometimes: {fault: reset, while: sweeping}` | at least one session of the suite saw that
  /// fault (or `any`) then, or at any time |
  /// | `angles: 30..150` | every commanded angle is in the range, and every pulse that the session
  /// shows |
  /// | `twitch: below 50us` | every pulse on a servo's pin differs from what the sketch stored by
  /// less than that, from 20 us on. See [twitches](#twitches) |
  /// | `interrupts off: below 100us` | no stretch with interrupts off, and no interrupt, takes that
  /// long, from the first time that the program has them on. This rule and the next require the
  /// [emulated chip](chip.md#why) |
  /// | `loop: at most 20ms` | no turn of the sketch's `loop` takes longer |
  /// | `memory: sound` | the program makes no [mistake with its memory](chip.md#memory) |
  /// | `jump: below 60°` | two pulses in a row on a servo's pin differ by less than that |
  /// | `{moves: never, unless: commanded}` | no servo gets another angle without a sweep, or a
  /// command in the 2 s before it |
  /// | `quiet: 500ms` | the session ends with at least that long without a byte or an output |
  /// | `commands: 3..5`, `commands: at most 30 in 1s`, `gap: at least 20ms` | the sender sends 3 to
  /// 5 commands, at most 30 in any second, at least 20 ms apart |
  /// | `ends: {servo: 90, servo D10: 45, pin fire: 0, sweeping: no}` | the state at the end |
  /// | `{track: 3°, for: 90%}` | the shaft is within 3 degrees of the face for at least that share
  /// of the time. This rule and the next four are about a turret on a [rig](rig.md) |
  /// | `overshoot: below 4°` | after each jump of the face, the shaft goes less than that beyond
  /// it |
  /// | `{settles: 3°, within: 800ms}` | after each jump, the shaft is within 3 degrees of the face
  /// in that time, and stays there |
  /// | `oscillates: below 1.5°` | while the face stands, the shaft moves by less than that, and a
  /// camera on the turret does not lose the face for half a second |
  /// | `reversals: below 20/min` | the shaft turns back fewer than 20 times a minute |
  /// | `{trace: aim.jsonl, tolerance: 20ms, gaps: 50ms}` | the session agrees with that trace, as
  /// with `run --expect` |
  /// | `exit: 0`, `stderr: ""`, `stops within: 2s` | how the sender's process ends: its status,
  /// what it printed on standard error, and within which time |
  private static let names = [
    "servo", "shaft", "pulse", "attached", "detached", "pin", "tx", "tone", "exactly", "never",
    "angles", "twitch", "interrupts off", "loop", "memory", "jump", "moves", "quiet", "commands",
    "gap", "ends", "recovers", "sometimes", "track", "overshoot", "settles", "oscillates",
    "reversals", "trace", "exit", "stderr", "stops within",
  ]
  private static let modifiers = [
    "within", "of", "before", "at least", "at most", "count", "tolerance", "gaps", "for", "unless",
  ]

  package init(path: String) { self.path = path }

  /// Reads a list of rules, or a single one.
  package func rules(_ notation: Notation) throws(NotationError) -> [Rule] {
    var rules: [Rule] = []
    var mistakes = Mistakes()
    for item in notation.items {
      mistakes.reading { () throws(NotationError) in rules += try self.rules(of: item) }
    }
    try mistakes.check()
    return rules
  }

  private func place(_ place: Notation.Place) -> String {
    place.line > 0 ? "\(PlainText.escaped(path)):\(place.line):\(place.column)" : path
  }

  /// Reads one entry. An entry about how the sender ends can have several keys, each a rule.
  private func rules(of item: Notation) throws(NotationError) -> [Rule] {
    var modifiers: [Notation.Member] = []
    var requirements: [Requirement] = []
    var firstName = ""
    for member in try item.members("a rule, for example servo: 90") {
      if Self.modifiers.contains(member.key) {
        modifiers.append(member)
        continue
      }
      if member.key == "never", requirements.isEmpty {
        requirements = try never(member.value)
        firstName = member.key
        continue
      }
      let requirement = try requirement(member)
      if let last = requirements.last, !(last.isAboutSender && requirement.isAboutSender) {
        throw NotationError(
          member.keyPlace,
          "expected one rule per entry, found \"\(member.key)\" next to \"\(firstName)\"")
      }
      requirements.append(requirement)
      firstName = member.key
    }
    guard !requirements.isEmpty else {
      throw NotationError(item.place, "expected one of \(Self.names.joined(separator: ", "))")
    }
    for member in modifiers {
      try apply(member, to: &requirements[0], firstName)
    }
    if case .reaches(let reach) = requirements[0] { try check(reach, item.place) }
    if case .tracking(.settles(_, .zero)) = requirements[0] {
      throw NotationError(item.place, "\"settles\" requires \"within\", for example within: 800ms")
    }
    if requirements[0] == .motion(.commanded), !modifiers.contains(where: { $0.key == "unless" }) {
      throw NotationError(item.place, "\"moves: never\" requires \"unless: commanded\"")
    }
    return requirements.map { Rule($0, place: place(item.place)) }
  }

  private func requirement(_ member: Notation.Member) throws(NotationError) -> Requirement {
    let value = member.value
    if let target = try target(member) { return .reaches(Reach(target)) }
    if let (word, servo) = Self.servo(in: member.key), word == "angles" {
      return .angles(
        try value.range(0...180, unit: "°", "a range of angles, for example 30..150"),
        name: servo)
    }
    switch member.key {
    case "exactly": return .exactly(try targets(value))
    case "twitch": return .twitch(below: try twitch(phrase("below", value, "50us")))
    case "interrupts off":
      return .longest(
        .interruptsOff, try length(phrase("below", value, "100us", "a length of time")))
    case "loop": return .longest(.loop, try length(phrase("at most", value)))
    case "memory":
      guard try value.text("sound") == "sound" else { throw value.unexpected("sound") }
      return .memory
    case "jump": return .motion(.jump(below: try degrees(phrase("below", value, "60°"))))
    case "moves":
      guard try value.text("never") == "never" else { throw value.unexpected("never") }
      return .motion(.commanded)
    case "quiet": return .quiet(try length(value))
    case "commands": return try commands(value)
    case "gap": return .gap(try length(phrase("at least", value)))
    case "ends": return .ends(try finalState(value))
    case "recovers": return .faults(try recovers(value))
    case "sometimes": return .faults(try sometimes(value))
    case "track": return .tracking(.tracks(try degrees(value), share: 1))
    case "overshoot": return .tracking(.overshoot(below: try degrees(phrase("below", value, "4°"))))
    case "settles": return .tracking(.settles(try degrees(value), within: .zero))
    case "oscillates":
      return .tracking(.oscillates(below: try degrees(phrase("below", value, "1.5°"))))
    case "reversals":
      let number = try phrase("below", value, "20/min").number(
        .leastNonzeroMagnitude...(.infinity), unit: "/min", "a number a minute, for example 20/min")
      return .tracking(.reversals(below: number))
    case "trace": return .golden(Golden(path: try value.text("the path of a trace")))
    case "exit": return .sender(.exit(try value.count("an exit status, for example 0")))
    case "stderr": return .sender(.standardError(TextPattern(utf8: try value.text("a text"))))
    case "stops within": return .sender(.stops(try value.duration()))
    default: throw unknown(member)
    }
  }

  private func unknown(_ member: Notation.Member) -> NotationError {
    let all = Self.names + Self.modifiers
    var remark = Nearest.remark(on: member.key, among: all)
    if remark.isEmpty { remark = Nearest.remark(on: Self.word(of: member), among: all) }
    if remark.isEmpty { remark = "; rules are \(Self.names.joined(separator: ", "))" }
    return NotationError(
      member.keyPlace, "there is no rule \(PlainText.quoted(member.key))" + remark)
  }

  /// The word of a key, which the name of a servo or a pin can follow.
  private static func word(of member: Notation.Member) -> String {
    member.key.split(separator: " ").first.map { String($0) } ?? ""
  }

  /// Splits a word that can be followed by the name of a servo: `shaft`, `shaft pan`. Returns nil
  /// for any other text.
  static func servo(in key: String) -> (word: Substring, name: String?)? {
    let words = key.split(separator: " ")
    guard let word = words.first, words.count <= 2,
      ["servo", "shaft", "pulse", "angles"].contains(word)
    else { return nil }
    return (word, words.count == 2 ? String(words[1]) : nil)
  }

  // MARK: The other rules

  /// Reads what must never happen: mishaps, or the state of a pin, for all the time or during an
  /// activity.
  private func never(_ value: Notation) throws(NotationError) -> [Requirement] {
    var words: [Notation] = []
    var (pins, others): ([Requirement], [Requirement]) = ([], [])
    for item in value.items {
      guard case .mapping(let members, _) = item else {
        words.append(item)
        continue
      }
      if members.contains(where: { $0.key == "unless" }) {
        others.append(try mishapsUnlessFault(members, item.place))
      } else {
        pins.append(try neverPin(item))
      }
    }
    if words.isEmpty, !(pins + others).isEmpty { return pins + others }
    return [.never(try mishaps(words.isEmpty ? value : .list(words, value.place)))] + pins + others
  }

  /// Reads mishaps that only a fault may explain: `{lost: 1, unless: fault}`.
  private func mishapsUnlessFault(
    _ members: [Notation.Member], _ place: Notation.Place
  ) throws(NotationError) -> Requirement {
    var mishaps: [Mishap] = []
    for member in members {
      if member.key == "unless" {
        let word = try member.value.text("fault")
        guard word == "fault" else { throw member.value.unexpected("fault") }
        continue
      }
      mishaps += try self.mishaps(.text(member.key, member.keyPlace))
      guard try member.value.text("1") == "1" else { throw member.value.unexpected("1") }
    }
    guard !mishaps.isEmpty else {
      throw NotationError(
        place, "expected what must not happen, for example {lost: 1, unless: fault}")
    }
    return .faults(.neverUnless(mishaps))
  }

  /// Parses `{within: 2s, after: fault}`.
  private func recovers(_ value: Notation) throws(NotationError) -> FaultRule {
    let expected = "a time after a fault, for example {within: 2s, after: fault}"
    var limit: Interval?
    for member in try value.members(expected) {
      switch member.key {
      case "within": limit = try length(member.value)
      case "after":
        guard try member.value.text("fault") == "fault" else {
          throw member.value.unexpected("fault")
        }
      default: throw member.unexpected(expected)
      }
    }
    guard let limit else { throw NotationError(value.place, "expected \(expected)") }
    return .recovers(within: limit)
  }

  /// Parses `{fault: reset, while: sweeping}`.
  private func sometimes(_ value: Notation) throws(NotationError) -> FaultRule {
    let expected = "a fault, for example {fault: reset, while: sweeping}"
    let kinds = ["any"] + FaultStrike.Kind.allCases.map { $0.rawValue }
    var kind: FaultStrike.Kind??
    var activity: KnownActivity?
    for member in try value.members(expected) {
      switch member.key {
      case "fault":
        kind = .some(FaultStrike.Kind(rawValue: try member.value.word(among: kinds)))
      case "while": activity = try known(member.value)
      default: throw member.unexpected(expected)
      }
    }
    guard let kind else { throw NotationError(value.place, "expected \(expected)") }
    return .sometimes(kind, while: activity)
  }

  private func neverPin(_ value: Notation) throws(NotationError) -> Requirement {
    let expected = "a pin, for example {pin laser: 1, while: sweeping}"
    var target: PinTarget?
    var activity: KnownActivity?
    let members = try value.members(expected)
    for member in members {
      if let pin = try pin(member) {
        if target != nil { throw NotationError(member.keyPlace, "expected one pin") }
        target = pin
      }
    }
    guard var pin = target else { throw unknownPin(members, value.place, expected) }
    for member in members where !member.key.hasPrefix("pin ") {
      switch member.key {
      case "at least", "at most": pin = try limit(pin, member)
      case "while": activity = try known(member.value)
      default: throw unknownPin([member], value.place, expected)
      }
    }
    try check(pin, value.place)
    return .neverPin(pin, while: activity)
  }

  private func unknownPin(
    _ members: [Notation.Member], _ place: Notation.Place, _ expected: String
  ) -> NotationError {
    guard let member = members.first else { return NotationError(place, "expected \(expected)") }
    var error = member.unexpected(expected)
    error.message += Nearest.remark(
      on: Self.word(of: member), among: ["pin", "while", "at least", "at most"])
    return error
  }

  private func known(_ value: Notation) throws(NotationError) -> KnownActivity? {
    let words = KnownActivity.allCases.map { $0.rawValue } + [KnownActivity.sweeping]
    let word = try value.word(among: words)
    return word == KnownActivity.sweeping ? .scanning : KnownActivity(rawValue: word)
  }

  /// Parses `3`, `2..4`, `at most 3` or `at least 1`.
  func count(_ value: Notation, _ expected: String) throws(NotationError) -> ClosedRange<Int> {
    let words = try value.text(expected).split(separator: " ")
    let last = Notation.text(words.last.map { String($0) } ?? "", value.place)
    switch (words.first, words.dropFirst().first, words.count) {
    case ("at", "most", 3): return 0...(try last.count(expected))
    case ("at", "least", 3): return try last.count(expected)...Requirement.countMax
    default: return try value.range(0...Requirement.countMax, unit: "", expected)
    }
  }

  private func mishaps(_ list: Notation) throws(NotationError) -> [Mishap] {
    let all = Mishap.allCases.map { $0.rawValue }
    var mishaps: [Mishap] = []
    var mistakes = Mistakes()
    for item in list.items {
      mistakes.reading { () throws(NotationError) in
        if let mishap = Mishap(rawValue: try item.word(among: all)) { mishaps.append(mishap) }
      }
    }
    try mistakes.check()
    guard !mishaps.isEmpty else { throw list.unexpected("one of \(all.joined(separator: ", "))") }
    return mishaps
  }

  /// Parses `3`, `3..5`, `at most 30`, `at least 2`, or `at most 30 in 1s`.
  private func commands(_ value: Notation) throws(NotationError) -> Requirement {
    let expected = "a number of commands: 3..5, at most 30, or at most 30 in 1s"
    let words = try value.text(expected).split(separator: " ")
    guard words.count >= 5, words[0] == "at", words[1] == "most", words[3] == "in" else {
      return .commands(try count(value, expected))
    }
    // The unit can be a separate word: 1 s.
    let time = try length(.text(words[4...].joined(separator: " "), value.place))
    return .rate(count: try Notation.text(String(words[2]), value.place).count(expected), per: time)
  }

  /// Parses a length of time over zero: with zero, nothing could break the rule.
  func length(_ value: Notation) throws(NotationError) -> Interval {
    let length = try value.duration()
    guard length > .zero else { throw value.unexpected("a length of time over zero") }
    return length
  }

  private func degrees(_ value: Notation) throws(NotationError) -> Double {
    try value.number(.leastNonzeroMagnitude...180, unit: "°", "degrees, for example 3°")
  }

  /// Parses a number of microseconds by which a pulse can differ. Smaller ones are not seen.
  private func twitch(_ value: Notation) throws(NotationError) -> Double {
    try value.number(
      Double(Twitch.bound)...(.infinity), unit: "us",
      "microseconds from \(Twitch.bound) on, for example 50us")
  }

  /// Returns the text after the words, at the same place.
  private func phrase(
    _ words: String, _ value: Notation, _ example: String = "20ms", _ noun: String? = nil
  ) throws(NotationError) -> Notation {
    let kind = noun ?? (example == "20ms" ? "a length of time" : "a number")
    let expected = "\(words) \(kind), for example \(words) \(example)"
    let text = try value.text(expected)
    guard text.hasPrefix(words + " ") else { throw value.unexpected(expected) }
    return .text(String(text.dropFirst(words.count + 1)), value.place)
  }

  private func finalState(_ value: Notation) throws(NotationError) -> FinalState {
    var state = FinalState()
    for member in try value.members("a state, for example {servo: 90, sweeping: no}") {
      if let pin = try pin(member) {
        guard pin.isLevel else { throw member.value.unexpected("a level, 1 or 0") }
        state.pins.append(pin)
        continue
      }
      if let (word, servo) = Self.servo(in: member.key), word == "servo" {
        state.servos.append(
          .init(servo, at: try member.value.range(0...180, unit: "°", "an angle from 0 to 180")))
        continue
      }
      guard member.key == "sweeping" else {
        throw member.unexpected("servo, pin or sweeping")
      }
      state.isSweeping = try member.value.bool()
    }
    if state == FinalState() { throw value.unexpected("servo, pin or sweeping") }
    return state
  }
}

extension Requirement {
  fileprivate var isAboutSender: Bool {
    if case .sender = self { true } else { false }
  }
}
