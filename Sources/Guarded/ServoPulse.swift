/// The servo library's conversion of whole degrees, in 16-bit arithmetic.
public enum ServoPulse {
  /// The pulse in microseconds for 0...180 degrees: `544 + degrees * 1856 / 180`, truncated.
  public static func microseconds(of degrees: UInt8) -> UInt16 {
    // 1856 / 180 is 10 and 14 / 45. Multiplying before dividing would need 32 bits.
    544 &+ UInt16(degrees) &* 10 &+ UInt16(degrees) &* 14 / 45
  }
}
