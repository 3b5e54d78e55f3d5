import Sketches
import Traces

/// What is to be observed, and when.
extension RuleParser {
  /// Returns the output that a rule's first word names; nil for any other rule.
  func target(_ member: Notation.Member) throws(NotationError) -> Target? {
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
    default: return try pin(member).map { .pin($0) }
    }
  }

  /// Returns what a key such as `pin fire` requires of that pin; nil for any other key.
  func pin(_ member: Notation.Member) throws(NotationError) -> PinTarget? {
    let words = member.key.split(separator: " ")
    guard words.first == "pin" else { return nil }
    guard words.count == 2 else {
      throw NotationError(
        member.keyPlace,
        "expected \"pin\" with the pin or its name in the profile, for example pin D7: 1")
    }
    let name = String(words[1])
    let expected = "1, 0, pulse, low pulse or duty"
    switch try member.value.text(expected) {
    case "1", "high": return PinTarget(name, .level(isHigh: true))
    case "0", "low": return PinTarget(name, .level(isHigh: false))
    case "pulse", "high pulse": return PinTarget(name, .pulse(isHigh: true, .init()))
    case "low pulse": return PinTarget(name, .pulse(isHigh: false, .init()))
    case "duty": return PinTarget(name, .duty(.init()))
    default: throw member.value.unexpected(expected)
    }
  }

  /// Sets the least or the most that a rule about a pulse or a duty cycle allows.
  func limit(
    _ pin: PinTarget, _ member: Notation.Member
  ) throws(NotationError) -> PinTarget {
    func set<Value>(
      _ limits: PinTarget.Limits<Value>, to value: Value
    ) throws(NotationError) -> PinTarget.Limits<Value> {
      var limits = limits
      if member.key == "at least" { limits.least = value } else { limits.most = value }
      if let least = limits.least, let most = limits.most, least > most {
        throw NotationError(member.keyPlace, "expected \"at least\" not to be over \"at most\"")
      }
      return limits
    }
    var pin = pin
    switch pin.condition {
    case .level:
      throw NotationError(
        member.keyPlace, "expected no \"\(member.key)\" next to a level; a pulse or duty has one")
    case .pulse(let isHigh, let limits):
      pin.condition = .pulse(isHigh: isHigh, try set(limits, to: try length(member.value)))
    case .duty(let limits):
      let percent = try member.value.range(unit: "%", "a part of the cycle, for example 45%")
      guard percent.lowerBound == percent.upperBound, percent.upperBound <= 100 else {
        throw member.value.unexpected("a part of the cycle from 0% to 100%")
      }
      pin.condition = .duty(try set(limits, to: percent.lowerBound))
    }
    return pin
  }

  /// Checks what a rule about a pin has as a whole.
  func check(_ reach: Reach, _ place: Notation.Place) throws(NotationError) {
    guard case .pin(let pin) = reach.target else { return }
    try check(pin, place)
    guard reach.count != nil else { return }
    guard case .pulse = pin.condition else {
      throw NotationError(place, "\"count\" requires \"pin \(pin.name): pulse\"")
    }
    guard reach.before == nil, (reach.command == nil) == (reach.within == nil) else {
      throw NotationError(
        place,
        "\"count\" requires \"within\" and \"of\", or neither to count the pulses of the session")
    }
  }

  func check(_ pin: PinTarget, _ place: Notation.Place) throws(NotationError) {
    if case .duty(let limits) = pin.condition, limits == .init() {
      throw NotationError(
        place, "\"duty\" requires \"at least\" or \"at most\", for example at least: 45%")
    }
  }

  func targets(_ list: Notation) throws(NotationError) -> [Target] {
    var targets: [Target] = []
    for item in list.items {
      let members = try item.members("an output, for example servo: 90")
      guard members.count == 1, let target = try target(members[0]) else {
        throw NotationError(
          item.place, "expected servo, pulse, pin, tx or tone alone within \"exactly\"")
      }
      if case .pin(let pin) = target, !pin.isLevel {
        throw NotationError(
          item.place,
          "expected a level, pin \(pin.name): 1 or 0, within \"exactly\"; \"count\" counts pulses")
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

  func apply(
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
    case (.reaches(var reach), "at least"), (.reaches(var reach), "at most"):
      guard case .pin(let pin) = reach.target else { throw misplaced(member, name) }
      reach.target = .pin(try limit(pin, member))
      requirement = .reaches(reach)
    case (.reaches(var reach), "count"):
      guard case .pin = reach.target else { throw misplaced(member, name) }
      reach.count = try count(value, "a number of pulses: 3, 2..4, at most 3 or at least 1")
      requirement = .reaches(reach)
    case (.reaches(var reach), "before"):
      reach.before = .zero + (try value.duration())
      requirement = .reaches(reach)
    case (.golden(var golden), "tolerance"):
      golden.tolerance = try value.duration()
      requirement = .golden(golden)
    case (.tracking(.tracks(let degrees, _)), "for"):
      let share = try value.number(
        .leastNonzeroMagnitude...100, unit: "%", "a part of the time, for example 90%")
      requirement = .tracking(.tracks(degrees, share: share / 100))
    case (.tracking(.settles(let degrees, _)), "within"):
      requirement = .tracking(.settles(degrees, within: try length(value)))
    case (.motion(.commanded), "unless"):
      guard try value.text("commanded") == "commanded" else { throw value.unexpected("commanded") }
    case (.golden(var golden), "gaps"):
      golden.gaps = try value.duration()
      requirement = .golden(golden)
    default: throw misplaced(member, name)
    }
  }

  private func misplaced(_ member: Notation.Member, _ name: String) -> NotationError {
    NotationError(
      member.keyPlace, "expected no \"\(member.key)\" next to \(PlainText.quoted(name))")
  }
}
