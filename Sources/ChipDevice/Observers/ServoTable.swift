import AVR
import Sketches

/// Follows the Arduino servo library's table in a program's memory, byte by byte.
///
/// Symbol `_ZL6servos`, twelve servos (the library's MAX_SERVOS for one timer), three bytes for
/// each servo: the pin in bits 0 to 5, whether it is active in bit 6, then 16 bits: the pulse less
/// 2 us, in units of eight clock cycles. These two bytes are not stored at once.
struct ServoTable: Hashable, Sendable {
  /// A width that the program stored, in microseconds, for the servo on an Arduino pin.
  struct Store {
    var pin: UInt8
    var pulse: UInt16
    /// The range with which the program attached the servo; nil if it is not known.
    var range: ServoRange?
  }

  struct Change {
    /// The Arduino pin on which the library stops its pulses.
    var detached: UInt8?
    /// The Arduino pin on which it begins its pulses, and their width in microseconds.
    var attached: (pin: UInt8, pulse: UInt16)?
    var store: Store?
  }

  static let symbol = "_ZL6servos"
  static let entryBytes = 3
  /// The table's size. Other libraries have a table of the same name with a different layout:
  /// VarSpeedServo's has eight bytes for each servo, ServoTimer2's has nine servos.
  static let size: UInt32 = 36
  private static let activeBit: UInt8 = 0x40
  private static let pinMask: UInt8 = 0x3F
  /// Arduino's pins.
  private static let pinCount: UInt8 = 20
  /// What the library subtracts for the time its interrupt takes, in microseconds.
  private static let trim: UInt16 = 2
  /// The width that a constructor stores, in microseconds. Arduino's subtracts nothing from it.
  private static let initialPulse: UInt16 = 1_500

  private static let storesMax: UInt8 = 2

  private let addresses: Range<UInt16>
  private let hertz: UInt64
  /// The bytes of the table, as far as they have been stored since the chip started. In the memory
  /// they can be others: a restart does not change it until the program's start-up clears it.
  private var bytes: [UInt8]
  /// How many widths other than 0 have been stored in each entry, up to `storesMax`: a constructor
  /// stores the first.
  private var stores: [UInt8]
  private var ranges: ServoRanges
  /// The index of a width's byte that has been stored while the width's other byte has not; nil if
  /// there is none.
  private var half: Int?
  private(set) var activePins = PinSet()

  init(at addresses: Range<UInt16>, _ ranges: ServoRanges, _ rate: ClockRate) {
    self.addresses = addresses
    self.ranges = ranges
    hertz = UInt64(rate.hertz)
    bytes = Array(repeating: 0, count: addresses.count)
    stores = Array(repeating: 0, count: addresses.count / Self.entryBytes)
  }

  /// All addresses whose stores must be passed to `stored`.
  var watched: [Range<UInt16>] { [addresses] + ranges.watched }

  /// The byte addresses of all functions whose calls must be passed to `entered`.
  var entries: [UInt16] { ranges.entries }

  struct Memory: Hashable, Sendable, Codable {
    var bytes: [UInt8]
    var stores: [UInt8]
    var half: Int?
    var ranges: ServoRanges.Memory
  }

  var memory: Memory { Memory(bytes: bytes, stores: stores, half: half, ranges: ranges.memory) }

  /// Restores the table. Returns false if no table like this one can have this memory.
  mutating func resume(_ memory: Memory?) -> Bool {
    guard let memory, memory.bytes.count == bytes.count, memory.stores.count == stores.count,
      ranges.resume(memory.ranges)
    else { return false }
    (bytes, stores, half) = (memory.bytes, memory.stores, memory.half)
    findActive()
    return true
  }

  /// Forgets everything, as the chip restarts.
  mutating func restart() {
    bytes = Array(repeating: 0, count: bytes.count)
    stores = Array(repeating: 0, count: stores.count)
    half = nil
    activePins = PinSet()
    ranges.restart()
  }

  /// Notes that the program called one of the library's functions.
  mutating func entered(_ address: UInt16, registers: SIMD4<UInt16>, object: UInt32) {
    ranges.entered(address, registers: registers, object: object)
  }

  /// Notes that the program stored a byte. Returns what that changes.
  mutating func stored(_ value: UInt8, at address: UInt16) -> Change {
    var change = Change()
    guard addresses.contains(address) else {
      ranges.stored(value, at: address)
      return change
    }
    let index = Int(address - addresses.lowerBound)
    let number = index / Self.entryBytes
    let entry = number * Self.entryBytes
    guard index != entry, entry + 2 < bytes.count else {
      let before = activePin(entry)
      bytes[index] = value
      let pin = activePin(entry)
      guard pin != before else { return change }
      findActive()
      if let before {
        change.detached = before
        ranges.detached(number)
      }
      if let pin {
        change.attached = (pin, pulse(entry))
        ranges.attached(number)
      }
      return change
    }
    bytes[index] = value
    let other = index == entry + 1 ? entry + 2 : entry + 1
    guard half == other else {
      half = index
      return change
    }
    half = nil
    if bytes[entry + 1] | bytes[entry + 2] != 0 {
      stores[number] = min(stores[number], Self.storesMax - 1) + 1
    }
    let pulse = pulse(entry)
    let range = ranges.range(of: number, for: pulse)
    if let pin = activePin(entry) {
      change.store = Store(pin: pin, pulse: pulse, range: range)
    }
    return change
  }

  private mutating func findActive() {
    activePins = PinSet()
    for entry in stride(from: 0, to: bytes.count, by: Self.entryBytes) {
      if let pin = activePin(entry) { activePins.insert(Int(pin)) }
    }
  }

  private func activePin(_ entry: Int) -> UInt8? {
    let pin = bytes[entry] & Self.pinMask
    return bytes[entry] & Self.activeBit != 0 && pin < Self.pinCount ? pin : nil
  }

  /// Returns the pulse stored for the active servo on a pin, in microseconds; nil if there is none,
  /// if there are several, or if it is just being stored.
  func pulse(on pin: Int) -> UInt16? {
    var found: Int?
    for entry in stride(from: 0, to: bytes.count, by: Self.entryBytes)
    where activePin(entry).map({ Int($0) }) == pin {
      guard found == nil else { return nil }
      found = entry
    }
    guard let found, half.map({ $0 / Self.entryBytes * Self.entryBytes }) != found else {
      return nil
    }
    return pulse(found)
  }

  /// The pulse in an entry, in microseconds.
  private func pulse(_ entry: Int) -> UInt16 {
    let ticks = UInt64(bytes[entry + 2]) << 8 | UInt64(bytes[entry + 1])
    let pulse = UInt16(clamping: ticks * 8_000_000 / hertz)
    if stores[entry / Self.entryBytes] < Self.storesMax, pulse == Self.initialPulse { return pulse }
    return pulse &+ Self.trim
  }
}
