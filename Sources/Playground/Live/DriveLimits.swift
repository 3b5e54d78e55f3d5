import Turret

/// The limits of a session that is driven in the page.
enum DriveLimits {
  /// The longest advance in one request: a page that was hidden does not catch up.
  static var advance: Interval { .seconds(5) }
  /// The most bytes that wait for the line.
  static var onTheWay: Int { 2_048 }
  /// The longest trace, in bytes.
  static var trace: Int { 16 << 20 }
}
