/// What happened to the commands. Every command was sent, replaced or dropped, or is waiting.
package struct SenderCounts: Hashable, Sendable {
  package var given = 0
  /// Passed to the system. Commands sent again after a reconnection are not included.
  package var sent = 0
  /// Replaced by a newer command while waiting.
  package var replaced = 0
  /// Dropped because they would be useless later and the target was not connected or accepted no
  /// more, or because they were still waiting at the end.
  package var dropped = 0
  /// The last command, sent again after a reconnection.
  package var repeated = 0
  /// Connections that the target accepted.
  package var connections = 0

  package init() {}
}
