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
  package var isInOrder: Bool { command == nil && before == nil }

  package var description: String {
    var text = target.description
    if let within { text += " within \(String(readable: within))" }
    if let command { text += " of \(command)" }
    if let before { text += " before \(String(readable: before - Instant.zero))" }
    return text
  }
}
