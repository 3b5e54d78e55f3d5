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
}

/// Why a rule failed: what happened instead, and the events around it.
package struct RuleFailure: Hashable, Sendable {
  /// What is the same if the rule fails in the same way in another session. Most rules can fail in
  /// one way only.
  package struct Cause: Hashable, Sendable {
    /// Whether the session tested the rule. A rule about a command that was not sent fails too.
    package var isTested = true
    /// What became of the byte that must not have happened to it.
    var fate: Fate?
    /// What happened that must not happen.
    var mishap: Mishap?
    /// Why the board lost the byte.
    var loss: Output.Loss?
    /// Whether the command was broken off.
    var isBrokenOff = false
    /// What the sketch was doing when the command arrived, in the model.
    var activity: KnownActivity?

    /// The session did not test the rule.
    static let untested = Cause(isTested: false)
  }

  package var rule: Rule
  package var cause = Cause()
  /// The wrong speed of the sender, if the failure stands alone and not in a report.
  package var wrongSpeed: WrongSpeed?
  /// What happened, one line each.
  package var notes: [String] = []
  /// When it happened, or when the time was up; nil if it concerns the whole session.
  package var time: Instant?
  /// If an output came late or not at all: from the last byte before it until it came, or until
  /// its time was up.
  var wait: ClosedRange<Instant>?
  /// The events around the one that broke the rule, and that one's index among them.
  package var events: [Divergence.Neighbour] = []
  package var broken: Int?
  /// Whether none of the events broke it, but what the shaft did at `time`, between them.
  var isBetweenEvents = false

  /// The first line: the place, the rule, and that it failed.
  package var headline: String {
    (rule.place.isEmpty ? "" : rule.place + ": ") + "\(rule.requirement) failed"
  }

  /// All lines, after the wrong speed if there is one: what a terminal, a JUnit report and a test's
  /// failure show.
  package var lines: [String] {
    let width = events.compactMap { $0.line.map { "\($0)".count } }.max() ?? 0
    func row(_ mark: String, _ number: String, _ text: String) -> String {
      "  \(mark) " + String(repeating: " ", count: max(0, width - number.count))
        + "\(number)  \(text)"
    }
    var rows = events.enumerated().map { index, neighbour in
      row(index == broken ? ">" : " ", neighbour.line.map { "\($0)" } ?? "", neighbour.text)
    }
    if isBetweenEvents, let time {
      let place = events.firstIndex { $0.event.time > time } ?? events.endIndex
      rows.insert(row(">", "", time.text), at: place)
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
