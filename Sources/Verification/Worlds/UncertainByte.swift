import Traces
package import Turret

/// A byte to the board whose time a recording states only within bounds.
package struct UncertainByte: Hashable, Sendable {
  package var value: UInt8
  /// When its start bit began according to the recording.
  package var recorded: Instant
  /// The trace's line.
  package var line: Int
  /// The event that sends this byte alone.
  var kind: Event.Kind
  /// How long the bytes before it occupy the line.
  var offset: Interval
  /// When its start bit can have begun, less `offset`, in nanoseconds. Neither limit is less than
  /// that of the byte before it.
  var bounds: ClosedRange<Int64>
  /// The index of the last byte from the board that ended before this one began according to the
  /// recording; nil if there is none.
  var answer: Int?

  /// The first and the last instant at which its start bit can have begun.
  package var earliest: Instant { Instant(nanoseconds: bounds.lowerBound) + offset }
  package var latest: Instant { Instant(nanoseconds: bounds.upperBound) + offset }
}
