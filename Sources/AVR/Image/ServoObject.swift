/// An object of a class `Servo`, or of one derived from it, at a fixed address.
package struct ServoObject: Hashable, Sendable {
  /// The address of its first byte: the servo's index.
  package var address: UInt16
  /// Whether two signed bytes follow: a quarter of how far its range differs from the usual one at
  /// either end.
  package var hasRange: Bool
}
