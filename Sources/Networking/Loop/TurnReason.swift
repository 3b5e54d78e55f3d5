/// Why the bench runs a turn.
package enum TurnReason: Hashable, Sendable {
  /// The planned time has been reached.
  case deadline
  /// These of the planned descriptors are readable.
  case readable([CInt])
  /// Bytes of the stream have arrived, or the network has an event.
  case work
}
