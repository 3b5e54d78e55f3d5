import AVR
import Turret

/// Follows the Arduino servo library's table in a program's memory, byte by byte.
///
/// Symbol `_ZL6servos`, twelve servos (the library's MAX_SERVOS for one timer), three bytes for
/// each servo: the pin in bits 0 to 5, whether it is active in bit 6, then 16 bits: the pulse less
/// 2 us, in units of eight clock cycles. These two bytes are not stored at once.
///
/// The range of a servo is in its object of class `Servo`, also three bytes: its index in the
/// table, then a quarter of how far its shortest pulse is below 544 us, and its longest below 2 400
/// us.
struct ServoTable: Hashable, Sendable {
  /// A width that the program stored, in microseconds, for the servo on an Arduino pin.
  struct Store: Hashable {
    var pin: UInt8
    var pulse: UInt16
    var range: ServoRange
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

  /// The table's addresses in the data space.
  private let addresses: Range<UInt16>
  /// The addresses of what may be objects of class `Servo`.
  private let objects: [Range<UInt16>]
  private let hertz: UInt64
  private var bytes: [UInt8]
  /// The bytes of the objects, one after the other.
  private var objectBytes: [UInt8]
  /// The index of a width's byte that has been stored while the width's other byte has not; nil if
  /// there is none.
  private(set) var half: Int?
  /// The pins of the active servos, a bit for each.
  private(set) var activePins: UInt32 = 0

  /// Creates the table. `objects` are the addresses at which objects of class `Servo` may be, in
  /// whole objects.
  init(at addresses: Range<UInt16>, objects: [Range<UInt16>], _ rate: ClockRate) {
    self.addresses = addresses
    hertz = UInt64(rate.hertz)
    self.objects = objects
    bytes = Array(repeating: 0, count: addresses.count)
    objectBytes = Array(repeating: 0, count: objects.reduce(0) { $0 + $1.count })
  }

  /// All addresses whose stores must be passed to `stored`.
  var watched: [Range<UInt16>] { [addresses] + objects }

  /// Restores the table. `memory` returns the byte at an address; `half` is the saved value of
  /// `half`.
  mutating func resume(half: Int?, _ memory: (UInt16) -> UInt8) {
    bytes = addresses.map(memory)
    objectBytes = objects.flatMap { $0.map(memory) }
    if let half, bytes.indices.contains(half) { self.half = half }
    findActive()
  }

  /// Notes that the program stored a byte. Returns the new width if that completed one of an active
  /// servo.
  mutating func stored(_ value: UInt8, at address: UInt16) -> Store? {
    guard addresses.contains(address) else {
      var first = 0
      for object in objects {
        if object.contains(address) {
          objectBytes[first + Int(address - object.lowerBound)] = value
        }
        first += object.count
      }
      return nil
    }
    let index = Int(address - addresses.lowerBound)
    bytes[index] = value
    let entry = index / Self.entryBytes * Self.entryBytes
    guard index != entry, entry + 2 < bytes.count else {
      findActive()
      return nil
    }
    let other = index == entry + 1 ? entry + 2 : entry + 1
    guard half == other else {
      half = index
      return nil
    }
    half = nil
    guard let pin = activePin(entry) else { return nil }
    let ticks = UInt64(bytes[entry + 2]) << 8 | UInt64(bytes[entry + 1])
    let pulse = UInt16(clamping: ticks * 8_000_000 / hertz) &+ Self.trim
    return Store(pin: pin, pulse: pulse, range: range(of: entry / Self.entryBytes))
  }

  private mutating func findActive() {
    activePins = 0
    for entry in stride(from: 0, to: bytes.count, by: Self.entryBytes) {
      if let pin = activePin(entry) { activePins |= 1 << UInt32(pin) }
    }
  }

  private func activePin(_ entry: Int) -> UInt8? {
    let pin = bytes[entry] & Self.pinMask
    return bytes[entry] & Self.activeBit != 0 && pin < Self.pinCount ? pin : nil
  }

  /// The range in the object with this index. Other data can look like an object, so it must be the
  /// only one with that index and a range of its own.
  private func range(of index: Int) -> ServoRange {
    var found: ServoRange?
    for first in stride(from: 0, to: objectBytes.count, by: Self.entryBytes)
    where Int(objectBytes[first]) == index {
      let quarters = objectBytes[(first + 1)..<(first + 3)].map { Int(Int8(bitPattern: $0)) * 4 }
      let limits = (
        Int(ServoLibrary.minimumPulse) - quarters[0], Int(ServoLibrary.maximumPulse) - quarters[1]
      )
      guard quarters != [0, 0], let range = ServoRange(UInt16(limits.0), UInt16(limits.1)),
        range != found
      else { continue }
      guard found == nil else { return .standard }
      found = range
    }
    return found ?? .standard
  }
}
