/// Follows the Arduino servo library's table in a program's memory, byte by byte.
///
/// Symbol `_ZL6servos`, twelve servos (the library's MAX_SERVOS for one timer), three bytes for
/// each servo: the pin in bits 0 to 5, whether it is active in bit 6, then 16 bits of half
/// microseconds, the pulse less 2 us. These two bytes are not stored at once.
struct ServoTable: Hashable, Sendable {
  static let symbol = "_ZL6servos"
  private static let entryBytes = 3
  /// The table's size. Other libraries have a table of the same name with entries of their own:
  /// VarSpeedServo's has eight bytes for each servo, ServoTimer2's has nine servos.
  static let size: UInt32 = 36
  private static let activeBit: UInt8 = 0x40
  private static let pinMask: UInt8 = 0x3F
  /// What the library subtracts for the time its interrupt takes, in microseconds.
  private static let trim: UInt16 = 2

  /// The table's addresses in the data space.
  let addresses: Range<UInt16>
  private let pin: UInt8
  private var bytes: [UInt8]
  /// The index of the half that has been stored of a width whose other half has not; nil if none.
  private(set) var half: Int?

  /// Follows the servo on this Arduino pin.
  init(at addresses: Range<UInt16>, pin: Int) {
    self.addresses = addresses
    self.pin = UInt8(truncatingIfNeeded: pin)
    bytes = Array(repeating: 0, count: addresses.count)
  }

  /// Restores the table: `memory` is its contents, `half` the half known then.
  mutating func resume(_ memory: [UInt8], half: Int?) {
    bytes = memory
    if let half, bytes.indices.contains(half) { self.half = half }
  }

  /// Notes that the program stored a byte of the table. Returns the new pulse in microseconds if
  /// that completed a width of the followed servo while it is active.
  mutating func stored(_ value: UInt8, at address: UInt16) -> UInt16? {
    guard addresses.contains(address) else { return nil }
    let index = Int(address - addresses.lowerBound)
    bytes[index] = value
    let entry = index / Self.entryBytes * Self.entryBytes
    guard index != entry, entry + 2 < bytes.count else { return nil }
    let other = index == entry + 1 ? entry + 2 : entry + 1
    guard half == other else {
      half = index
      return nil
    }
    half = nil
    guard bytes[entry] & Self.activeBit != 0, bytes[entry] & Self.pinMask == pin else {
      return nil
    }
    let ticks = UInt16(bytes[entry + 2]) << 8 | UInt16(bytes[entry + 1])
    return ticks / 2 &+ Self.trim
  }
}
