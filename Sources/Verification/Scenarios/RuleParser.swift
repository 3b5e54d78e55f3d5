import Traces
import Turret

/// Parses rules in the notation of a scenario file.
package struct RuleParser {
  /// The file's path, as in a rule's place.
  private let path: String

  /// The words that begin a rule, as they are listed in messages.
  private static let names = [
    "servo", "shaft", "pulse", "attached", "detached", "tx", "tone", "exactly", "never", "angles",
    "quiet", "commands",
    "gap", "ends", "trace", "exit", "stderr", "stops within",
  ]
  private static let modifiers = ["within", "of", "before", "tolerance", "gaps"]

  package init(path: String) { self.path = path }

  /// Reads a list of rules, or a single one.
  package func rules(_ notation: Notation) throws(NotationError) -> [Rule] {
    var rules: [Rule] = []
    for item in notation.items { rules += try self.rules(of: item) }
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
    case "never": return .never(try mishaps(value))
    case "quiet": return .quiet(try length(value))
    case "commands": return try commands(value)
    case "gap": return .gap(try length(phrase("at least", value)))
    case "ends": return .ends(try finalState(value))
    case "trace": return .golden(Golden(path: try value.text("the path of a trace")))
    case "exit": return .sender(.exit(try value.count("an exit status, for example 0")))
    case "stderr": return .sender(.standardError(TextPattern(utf8: try value.text("a text"))))
    case "stops within": return .sender(.stops(try value.duration()))
    default: throw unknown(member)
    }
  }

  private func unknown(_ member: Notation.Member) -> NotationError {
    let all = Self.names + Self.modifiers
    var message = "expected a rule, found \(PlainText.quoted(member.key))"
    if let name = Nearest.name(to: member.key, among: all) {
      message += "; did you mean \"\(name)\"?"
    } else {
      message += "; rules are \(Self.names.joined(separator: ", "))"
    }
    return NotationError(member.keyPlace, message)
  }

  /// Splits a word that can be followed by the name of a servo: `shaft`, `shaft pan`. Returns nil
  /// for any other text.
  private static func servo(in key: String) -> (word: Substring, name: String?)? {
    let words = key.split(separator: " ")
    guard let word = words.first, words.count <= 2,
      ["servo", "shaft", "pulse", "angles"].contains(word)
    else { return nil }
    return (word, words.count == 2 ? String(words[1]) : nil)
  }

  // MARK: Outputs

  /// Returns the output that a rule's first word names; nil for any other rule.
  private func target(_ member: Notation.Member) throws(NotationError) -> Target? {
    let value = member.value
    let (word, servo) = Self.servo(in: member.key) ?? (Substring(member.key), nil)
    switch word {
    case "servo":
      return .servo(
        try value.range(
          0...180, unit: "°", "an angle from 0 to 180, or a range such as 108..112"),
        name: servo)
    case "shaft":
      return .shaft(
        try value.range(unit: "°", "an angle with its error, for example 110 ± 2"), name: servo)
    case "pulse":
      return .pulse(
        try value.range(
          unit: "us", error: Target.pulseError,
          "a pulse in microseconds, for example 1678us ± 3us"),
        name: servo)
    case "attached": return .attached(name: try value.text("a servo's pin, for example D9"))
    case "detached": return .detached(name: try value.text("a servo's pin, for example D9"))
    case "tx": return .transmit(try value.pattern())
    case "tone":
      let hertz = try value.range(unit: "Hz", "a tone in hertz, for example 900")
      guard hertz.lowerBound == hertz.upperBound else {
        throw value.unexpected("a single tone in hertz")
      }
      return .tone(hertz.lowerBound)
    default: return nil
    }
  }

  private func targets(_ list: Notation) throws(NotationError) -> [Target] {
    var targets: [Target] = []
    for item in list.items {
      let members = try item.members("an output, for example servo: 90")
      guard members.count == 1, let target = try target(members[0]) else {
        throw NotationError(
          item.place, "expected servo, shaft, pulse, tx or tone alone within \"exactly\"")
      }
      if case .shaft = target {
        throw NotationError(
          item.place, "a shaft moves all the time, so it cannot be in \"exactly\"")
      }
      targets.append(target)
    }
    guard !targets.isEmpty else { throw list.unexpected("a list of outputs") }
    return targets
  }

  private func apply(
    _ member: Notation.Member, to requirement: inout Requirement, _ name: String
  ) throws(NotationError) {
    let value = member.value
    switch (requirement, member.key) {
    case (.reaches(var reach), "within"):
      reach.within = try value.duration()
      requirement = .reaches(reach)
    case (.reaches(var reach), "of"):
      reach.command = try value.pattern()
      requirement = .reaches(reach)
    case (.reaches(var reach), "before"):
      reach.before = .zero + (try value.duration())
      requirement = .reaches(reach)
    case (.golden(var golden), "tolerance"):
      golden.tolerance = try value.duration()
      requirement = .golden(golden)
    case (.golden(var golden), "gaps"):
      golden.gaps = try value.duration()
      requirement = .golden(golden)
    default:
      throw NotationError(
        member.keyPlace, "expected no \"\(member.key)\" next to \(PlainText.quoted(name))")
    }
  }

  // MARK: The other rules

  private func mishaps(_ list: Notation) throws(NotationError) -> [Mishap] {
    let all = Mishap.allCases.map { $0.rawValue }
    var mishaps: [Mishap] = []
    for item in list.items {
      let word = try item.text("one of \(all.joined(separator: ", "))")
      guard let mishap = Mishap(rawValue: word) else {
        var error = item.unexpected("one of \(all.joined(separator: ", "))")
        if let name = Nearest.name(to: word, among: all) {
          error.message += "; did you mean \"\(name)\"?"
        }
        throw error
      }
      mishaps.append(mishap)
    }
    guard !mishaps.isEmpty else { throw list.unexpected("one of \(all.joined(separator: ", "))") }
    return mishaps
  }

  /// Parses `3`, `3..5`, `at most 30`, `at least 2`, or `at most 30 in 1s`.
  private func commands(_ value: Notation) throws(NotationError) -> Requirement {
    let expected = "a number of commands: 3..5, at most 30, or at most 30 in 1s"
    let words = try value.text(expected).split(separator: " ")
    func count(_ word: Substring) throws(NotationError) -> Int {
      try Notation.text(String(word), value.place).count(expected)
    }
    switch (words.first, words.dropFirst().first, words.count) {
    case ("at", "most", 3): return .commands(0...(try count(words[2])))
    case ("at", "least", 3): return .commands(try count(words[2])...Requirement.countMax)
    case ("at", "most", 5...) where words[3] == "in":
      // The unit can be a separate word: 1 s.
      let time = try length(.text(words[4...].joined(separator: " "), value.place))
      return .rate(count: try count(words[2]), per: time)
    default:
      return .commands(try value.range(0...Requirement.countMax, unit: "", expected))
    }
  }

  /// Parses a length of time over zero: with zero, nothing could break the rule.
  private func length(_ value: Notation) throws(NotationError) -> Interval {
    let length = try value.duration()
    guard length > .zero else { throw value.unexpected("a length of time over zero") }
    return length
  }

  /// Returns the text after the words, at the same place.
  private func phrase(_ words: String, _ value: Notation) throws(NotationError) -> Notation {
    let expected = "\(words) a length of time, for example \(words) 20ms"
    let text = try value.text(expected)
    guard text.hasPrefix(words + " ") else { throw value.unexpected(expected) }
    return .text(String(text.dropFirst(words.count + 1)), value.place)
  }

  private func finalState(_ value: Notation) throws(NotationError) -> FinalState {
    var state = FinalState()
    for member in try value.members("a state, for example {servo: 90, sweeping: no}") {
      if let (word, servo) = Self.servo(in: member.key), word == "servo" {
        state.servos.append(
          .init(servo, at: try member.value.range(0...180, unit: "°", "an angle from 0 to 180")))
        continue
      }
      switch member.key {
      case "sweeping": state.isSweeping = try member.value.bool()
      default:
        throw NotationError(
          member.keyPlace, "expected servo or sweeping, found \(PlainText.quoted(member.key))")
      }
    }
    if state == FinalState() { throw value.unexpected("servo or sweeping") }
    return state
  }
}

extension Requirement {
  fileprivate var isAboutSender: Bool {
    if case .sender = self { true } else { false }
  }
}
