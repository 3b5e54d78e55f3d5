import Traces
package import Turret

/// An output that a rule waits for, and how long.
package struct Reach: Hashable, Sendable, CustomStringConvertible {
  package var target: Target
  /// How long it can take; nil for any time.
  package var within: Interval?
  /// The commands from whose first byte `within` is measured; nil if no command is named.
  package var command: TextPattern?
  /// The output must come earlier than this in the session; nil for any time.
  package var before: Instant?
  /// How many pulses on a pin there must be, each as the target requires it: in the time that
  /// `within` allows after the command, or in the whole session if no command is named. Nil if one
  /// is enough.
  package var count: ClosedRange<Int>?

  package init(
    _ target: Target, within: Interval? = nil, of command: TextPattern? = nil,
    before: Instant? = nil
  ) {
    self.target = target
    self.within = within
    self.command = command
    self.before = before
  }

  /// Whether it is met in the order in which it is listed.
  package var isInOrder: Bool { command == nil && before == nil && count == nil }
  /// Whether it concerns the session as a whole, so that only the end shows that it is met.
  package var isAboutAll: Bool { count != nil && command == nil }

  package var description: String {
    var text = target.description
    if let count { text += ", count \(Requirement.text(count))" }
    if let within { text += " within \(String(readable: within))" }
    if let command { text += " of \(command)" }
    if let before { text += " before \(String(readable: before - Instant.zero))" }
    return text
  }
}
