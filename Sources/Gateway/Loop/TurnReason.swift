/// Why the bench takes a turn.
package enum TurnReason: Hashable, Sendable {
  /// The time that was planned has come.
  case deadline
  /// These of the planned descriptors are readable.
  case readable([CInt])
  /// The stream's bytes have come, or the network has something.
  case work
}
