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
    case .never, .angles, .quiet, .rate, .gap, .commands, .ends, .golden, .sender: []
    }
  }
}

extension Rule {
  /// The names of the servos that the rule is about, as in a `Target`.
  var servoNames: [String] {
    switch requirement {
    case .reaches, .exactly: targets.compactMap { $0.servoName }
    case .angles(_, let name): [name].compactMap { $0 }
    case .ends(let state): state.servos.compactMap { $0.name }
    case .never, .quiet, .rate, .gap, .commands, .golden, .sender: []
    }
  }

  /// Whether the rule must be met in the order of the list, after those before it.
  package var isInOrder: Bool {
    switch requirement {
    case .reaches(let reach): reach.isInOrder
    case .exactly: true
    case .never, .angles, .quiet, .rate, .gap, .commands, .ends, .golden, .sender: false
    }
  }
}
