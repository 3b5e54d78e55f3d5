import AVR
import Sketches

/// Observes a chip while its sketch runs and finds out the fate of each byte.
protocol ChipWatch {
  /// The first thing that the chip should not have done.
  var complaint: String? { get }
  /// Called before the chip runs.
  func prepare(_ chip: inout ATmega328P)
  /// Runs the chip until a cycle, and reports the bytes that it takes from its ring to the
  /// recorder.
  mutating func run(_ chip: inout ATmega328P, until target: UInt64, into recorder: inout Recorder)
  /// Called before the chip is reset.
  mutating func reset(into recorder: inout Recorder)
}

extension ATmega328P {
  /// The instant of the current cycle, in a session that began with power-on.
  var instant: Instant { Instant(nanoseconds: Int64((cycle * 125 + 1) / 2)) }

  /// A little-endian value from a register or an address of SRAM.
  func value<T: FixedWidthInteger>(_ type: T.Type, at address: UInt16) -> T {
    var value: T = 0
    for offset in 0..<UInt16(T.bitWidth / 8) {
      value |= T(truncatingIfNeeded: self[data: address + offset] ?? 0) << T(8 * offset)
    }
    return value
  }

  /// The return address in bytes, at a function's entry or anywhere in a function that keeps
  /// nothing on the stack.
  var returnAddress: UInt16 {
    let high = UInt16(self[data: stackPointer + 1] ?? 0)
    let low = UInt16(self[data: stackPointer + 2] ?? 0)
    return (high << 8 | low) << 1
  }
}
