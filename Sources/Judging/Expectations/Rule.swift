package import Sketches
import Traces

/// A rule about a session, and where it is stated.
package struct Rule: Hashable, Sendable {
  package var requirement: Requirement
  /// For example `aim.yaml:9:5`; empty if the rule has no place.
  package var place: String

  package init(_ requirement: Requirement, place: String = "") {
    self.requirement = requirement
    self.place = place
  }

  /// What `--strict` requires of the bytes.
  package static let strict = Rule(.never(Mishap.strict), place: "--strict")

  /// The outputs that the rule waits for.
  package var targets: [Target] {
    switch requirement {
    case .reaches(let reach): [reach.target]
    case .exactly(let targets): targets
    case .never, .neverPin, .angles, .quiet, .rate, .gap, .commands, .ends, .golden, .sender: []
    }
  }

  /// The names of the pins whose levels the rule is about. The session must watch them.
  package var pinNames: [String] {
    switch requirement {
    case .ends(let state): state.pins.map { $0.name }
    case .neverPin(let pin, _): [pin.name]
    default: targets.compactMap { $0.pinName }
    }
  }

  /// Whether the session must show a servo's pulses.
  package var needsPulses: Bool { targets.contains { $0.kind == .pulse } }

  /// Whether it waits for an output. Any other rule concerns the session as a whole.
  package var isAwaited: Bool {
    switch requirement {
    case .reaches(let reach): !reach.isAboutAll
    case .exactly: true
    default: false
    }
  }
}

extension Rule {
  /// Returns why the rule cannot be judged in such a session, whatever happens in it; nil if it
  /// can.
  package func objection(in setup: SessionSetup) -> String? {
    guard let sketch = setup.undescribedSketch else { return nil }
    let refusal = "cannot be judged without a profile: "
    let unknown = "the commands of the sketch \(PlainText.quoted(sketch)) are not known"
    let remedy = "\"profile\" in a scenario or --profile FILE describes them"
    switch requirement {
    case .never(let mishaps):
      let words = mishaps.filter { $0.requiresCommands }.map { $0.rawValue }
      guard !words.isEmpty else { return nil }
      return "\"never: \(words.joined(separator: ", "))\" \(refusal)\(unknown), so nothing says "
        + "which bytes that is; \(remedy). \"never: lost\" can be judged"
    case .rate, .gap, .commands:
      return "\"\(requirement)\" \(refusal)\(unknown), so they cannot be counted; \(remedy)"
    case .golden(let golden) where golden.gaps != nil:
      return "\"gaps\" \(refusal)\(unknown), so the gaps between them cannot be compared; \(remedy)"
    case .reaches, .exactly, .neverPin, .angles, .quiet, .ends, .golden, .sender: return nil
    }
  }

  /// The names of the servos that the rule is about, as in a `Target`.
  var servoNames: [String] {
    switch requirement {
    case .reaches, .exactly: targets.compactMap { $0.servoName }
    case .angles(_, let name): [name].compactMap { $0 }
    case .ends(let state): state.servos.compactMap { $0.name }
    case .never, .neverPin, .quiet, .rate, .gap, .commands, .golden, .sender: []
    }
  }

  /// Whether the rule must be met in the order of the list, after those before it.
  package var isInOrder: Bool {
    switch requirement {
    case .reaches(let reach): reach.isInOrder
    case .exactly: true
    case .never, .neverPin, .angles, .quiet, .rate, .gap, .commands, .ends, .golden, .sender:
      false
    }
  }
}

/// Why a rule failed: what happened instead, and the events around it.
package struct RuleFailure: Hashable, Sendable {
  package var rule: Rule
  /// The wrong speed of the sender, if the failure stands alone and not in a report.
  package var wrongSpeed: WrongSpeed?
  /// What happened, one line each.
  package var notes: [String]
  /// When it happened, or when the time was up; nil if it concerns the whole session.
  package var time: Instant?
  /// The events around the one that broke the rule, and that one's index among them.
  package var events: [Divergence.Neighbour]
  package var broken: Int?

  package init(
    rule: Rule, notes: [String], time: Instant? = nil, events: [Divergence.Neighbour],
    broken: Int? = nil
  ) {
    self.rule = rule
    self.notes = notes
    self.time = time
    self.events = events
    self.broken = broken
  }

  /// The first line: the place, the rule, and that it failed.
  package var headline: String {
    (rule.place.isEmpty ? "" : rule.place + ": ") + "\(rule.requirement) failed"
  }

  /// All lines, after the wrong speed if there is one: what a terminal, a JUnit report and a test's
  /// failure show.
  package var lines: [String] {
    let width = events.compactMap { $0.line.map { "\($0)".count } }.max() ?? 0
    let rows = events.enumerated().map { index, neighbour in
      let number = neighbour.line.map { "\($0)" } ?? ""
      let pad = String(repeating: " ", count: max(0, width - number.count))
      return "  \(index == broken ? ">" : " ") \(pad)\(number)  \(neighbour.event.line)"
    }
    return (wrongSpeed.map { [$0.text] } ?? []) + [headline] + notes.map { "  " + $0 } + rows
  }

  package var text: String { lines.joined(separator: "\n") }
}

extension Instant {
  /// The seconds since the start of the session, rounded up to whole microseconds: `2.401 s`.
  package var text: String {
    String(shortest: roundedUpToMicrosecond - Instant.zero) + " s"
  }
}
