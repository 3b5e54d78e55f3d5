/// The pulses of a servo's pin.
struct PulseReader {
  struct Pulse: Hashable, Sendable {
    /// Its rising edge, and its width, in nanoseconds.
    var start: Int64
    var width: Int64
  }

  /// A narrower pulse does not move a servo: the narrowest that the library writes is 544 us.
  private static let widthMin: Int64 = 100_000
  /// The widest that a trace can hold.
  private static let widthMax: Int64 = 65_535_000

  private var isHigh: Bool?
  /// The rising edge of the pulse that has begun.
  private var start: Int64?

  private(set) var glitches = 0
  /// How often the pin was high for longer than a pulse.
  private(set) var longPulses = 0

  /// Returns when the pulse in progress began; nil if there is none. No later pulse begins before
  /// it.
  func earliest(at time: Int64) -> Int64? {
    guard let start, time - start <= Self.widthMax else { return nil }
    return start
  }

  /// Takes the pin's level from an instant on; nil if it is not known. Returns the pulse that ends
  /// then, if any.
  mutating func take(_ level: Bool?, at time: Int64) -> Pulse? {
    guard level != isHigh else { return nil }
    // The pulse in which the recording or a hole ends began at an unknown instant.
    let isEdge = isHigh != nil && level != nil
    isHigh = level
    guard isEdge, level == false else {
      start = isEdge ? time : nil
      return nil
    }
    guard let rise = start else { return nil }
    start = nil
    let width = time - rise
    guard width >= Self.widthMin else {
      glitches += 1
      return nil
    }
    guard width <= Self.widthMax else {
      longPulses += 1
      return nil
    }
    return Pulse(start: rise, width: width)
  }
}
