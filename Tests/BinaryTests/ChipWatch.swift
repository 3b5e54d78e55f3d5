import AVR
import Turret

/// Looks into a chip while its sketch runs and finds out what becomes of each byte.
protocol ChipWatch {
  /// What the chip should not have done, the first time it did.
  var complaint: String? { get }
  /// Before the chip runs at all.
  func prepare(_ chip: inout ATmega328P)
  /// Runs the chip until a cycle; what it takes from its ring meanwhile is told to the recorder.
  mutating func run(_ chip: inout ATmega328P, until target: UInt64, into recorder: inout Recorder)
  /// The chip is about to be reset.
  mutating func reset(into recorder: inout Recorder)
}

extension ATmega328P {
  /// The instant of the present cycle, in a session that began with power-on.
  var instant: Instant { Instant(nanoseconds: Int64((cycle * 125 + 1) / 2)) }

  /// Little-endian, from a register or an address of SRAM on.
  func value<T: FixedWidthInteger>(_ type: T.Type, at address: UInt16) -> T {
    var value: T = 0
    for offset in 0..<UInt16(T.bitWidth / 8) {
      value |= T(truncatingIfNeeded: self[data: address + offset] ?? 0) << T(8 * offset)
    }
    return value
  }

  /// At a function's entry, or anywhere in one that keeps nothing on the stack: the byte address it
  /// returns to.
  var returnAddress: UInt16 {
    let high = UInt16(self[data: stackPointer + 1] ?? 0)
    let low = UInt16(self[data: stackPointer + 2] ?? 0)
    return (high << 8 | low) << 1
  }
}
