/// Events of a session, as lines of a trace without their newlines.
package struct APIEvents: Hashable, Sendable {
  /// The index of the first of them, counted from 0.
  package var first: Int
  package var lines: [ArraySlice<UInt8>]
  /// The number of requested events that are no longer kept.
  package var lost = 0
}
