@testable import AVR

extension Peripherals {
  mutating func write(_ register: Register, _ value: UInt8, at cycle: UInt64 = 0) {
    write(value, to: register.rawValue, at: cycle, pc: 0x100)
  }

  mutating func read(_ register: Register, at cycle: UInt64) -> UInt8 {
    read(register.rawValue, at: cycle, pc: 0x200)
  }

  mutating func set(_ register: Register, bit: UInt8, _ isSet: Bool = true, at cycle: UInt64) {
    write(bit: bit, isSet, of: register.rawValue, at: cycle, pc: 0x300)
  }

  /// Writes a 16-bit register of Timer 1, high byte first.
  mutating func write16(_ low: Register, _ value: UInt16, at cycle: UInt64 = 0) {
    let high = low.rawValue + 1
    write(UInt8(value >> 8), to: high, at: cycle, pc: 0x100)
    write(UInt8(value & 0xFF), to: low.rawValue, at: cycle, pc: 0x102)
  }

  mutating func read16(_ low: Register, at cycle: UInt64) -> UInt16 {
    let lowByte = read(low.rawValue, at: cycle, pc: 0)
    return UInt16(read(low.rawValue + 1, at: cycle, pc: 0)) << 8 | UInt16(lowByte)
  }

  /// Delivers a frame at the end of its stop bit.
  mutating func receive(_ byte: UInt8, framingError: Bool, at cycle: UInt64) {
    receive(ReceivedFrame(byte, hasFramingError: framingError), at: cycle)
  }

  /// The changes of a pin up to a cycle.
  mutating func edges(of pin: Pin, until cycle: UInt64) -> [Edge] {
    advance(to: cycle)
    return events.compactMap {
      guard case .pin(pin, let isHigh) = $0.event else { return nil }
      return Edge($0.cycle, isHigh)
    }
  }

  /// The levels of a watched wire up to a cycle.
  mutating func levels(of pin: Pin, until cycle: UInt64) -> [Edge] {
    advance(to: cycle)
    return events.compactMap {
      guard case .wire(pin, let isHigh) = $0.event else { return nil }
      return Edge($0.cycle, isHigh)
    }
  }

  /// The first cycle after `cycle` with a pending interrupt; nil if there is none by `limit`.
  mutating func interrupt(after cycle: UInt64 = 0, by limit: UInt64) -> Interrupt? {
    var now = cycle
    advance(to: now)
    while !isInterruptPending {
      now = nextEvent
      guard now <= limit else { return nil }
      advance(to: now)
    }
    return pendingVector().map { Interrupt(cycle: now, vector: $0) }
  }

  var notices: [String] {
    events.compactMap {
      guard case .notice(let notice) = $0.event else { return nil }
      return notice.name
    }
  }

  var waveforms: [OutputCompare] {
    events.compactMap {
      guard case .waveform(let waveform) = $0.event else { return nil }
      return waveform
    }
  }
}
