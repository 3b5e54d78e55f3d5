/// What became of the commands. Every one given was sent, replaced or dropped, or it waits.
package struct SenderCounts: Hashable, Sendable {
  package var given = 0
  /// Handed to the system; those that are sent again to a target that came back are not counted here.
  package var sent = 0
  /// Went for a newer one while they waited.
  package var replaced = 0
  /// Of no use later, and the target was not there or did not take more; or they waited at the end.
  package var dropped = 0
  /// The last command, sent anew to a target that came back.
  package var repeated = 0
  /// Connections that the target took.
  package var connections = 0

  package init() {}
}
