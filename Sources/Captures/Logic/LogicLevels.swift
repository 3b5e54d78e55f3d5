/// The levels of a recording's channels from an instant on.
struct LogicLevels: Hashable, Sendable {
  /// The most channels that a recording can have here: one bit each.
  static let channelsMax = 64

  /// In nanoseconds since the recording's beginning.
  var time: Int64
  /// Bit n is channel n: 1 is high.
  var high: UInt64
  /// The channels whose level is not known: not recorded, undriven or contradictory. `high` is set
  /// for those that are undriven, which a serial line is at rest.
  var unknown: UInt64 = 0
}
