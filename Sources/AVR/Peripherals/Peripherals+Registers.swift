// Register accesses by the program. The table says which peripheral owns a register. An address
// without an owner is reserved: it reads 0, a write does nothing, and its use is reported once.
extension Peripherals {
  /// Reads a register for the program. `pc` is the byte address of the instruction.
  mutating func read(_ address: UInt16, at cycle: UInt64, pc: UInt16) -> UInt8 {
    advance(to: cycle)
    let address = UInt8(truncatingIfNeeded: address)
    guard let owner = Self.map.registers[Int(address)] else {
      notice(reserved: address, at: cycle, pc: pc)
      return 0
    }
    var reading = Reading(address: address, cycle: cycle, pc: pc)
    return withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &reading) }
  }

  /// The value that a read would return at a cycle no later than the next event; nil if reading the
  /// register has an effect.
  func peek(_ address: UInt16, at cycle: UInt64) -> UInt8? {
    let address = UInt8(truncatingIfNeeded: address)
    guard let owner = Self.map.registers[Int(address)] else { return nil }
    var peeking = Peeking(address: address, cycle: cycle)
    return Self.visit(owner, self, &peeking)
  }

  /// Writes a register for the program. SBI and CBI use `write(bit:)` instead.
  mutating func write(_ value: UInt8, to address: UInt16, at cycle: UInt64, pc: UInt16) {
    advance(to: cycle)
    let address = UInt8(truncatingIfNeeded: address)
    guard let owner = Self.map.registers[Int(address)] else {
      return notice(reserved: address, at: cycle, pc: pc)
    }
    var writing = Writing(value: value, address: address, cycle: cycle, pc: pc)
    withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &writing) }
  }

  /// Writes a single bit, for SBI and CBI. Flags that are cleared by writing 1 are not affected in
  /// the other bits.
  mutating func write(
    bit: UInt8, _ isSet: Bool, of address: UInt16, at cycle: UInt64, pc: UInt16
  ) {
    advance(to: cycle)
    let address = UInt8(truncatingIfNeeded: address)
    guard let owner = Self.map.registers[Int(address)] else {
      return notice(reserved: address, at: cycle, pc: pc)
    }
    var keeping = Keeping(address: address, cycle: cycle)
    let mask: UInt8 = 1 << bit
    let kept = Self.visit(owner, self, &keeping) & ~mask
    var writing = Writing(
      value: isSet ? kept | mask : kept, address: address, cycle: cycle, pc: pc)
    withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &writing) }
  }

  /// How a register's value can change between events.
  static func drift(of address: UInt16) -> RegisterDrift {
    let address = UInt8(truncatingIfNeeded: address)
    guard let owner = map.registers[Int(address)] else { return .none }
    var drifting = Drifting(address: address)
    return visit(owner, (), &drifting)
  }

  /// Computes what reads of a counting register would return at several cycles, all before the next
  /// event. Returns false if that is not supported.
  func count(
    _ address: UInt16, from first: UInt64, every period: UInt64, samples: Int,
    into values: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let address = UInt8(truncatingIfNeeded: address)
    guard let owner = Self.map.registers[Int(address)] else { return false }
    var counting = Counting(
      address: address, first: first, period: period, samples: samples, values: values)
    return Self.visit(owner, self, &counting)
  }

  /// Reports once for each address that it is reserved.
  private mutating func notice(reserved address: UInt8, at cycle: UInt64, pc: UInt16) {
    let digits = String(address, radix: 16, uppercase: true)
    notice("reserved register 0x\(digits)", at: cycle, pc: pc)
  }
}

private struct Reading: PeripheralVisitor {
  let address: UInt8
  let cycle: UInt64
  let pc: UInt16

  @inline(__always)
  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) -> UInt8 {
    guard let register = P.Register(rawValue: address) else { return 0 }
    return P.read(register, &chip.pointee, at: cycle, pc: pc)
  }
}

private struct Peeking: PeripheralVisitor {
  let address: UInt8
  let cycle: UInt64

  @inline(__always)
  func visit<P: Peripheral>(_: P.Type, _ chip: Peripherals) -> UInt8? {
    guard let register = P.Register(rawValue: address) else { return nil }
    return P.peek(register, chip, at: cycle)
  }
}

private struct Writing: PeripheralVisitor {
  let value: UInt8
  let address: UInt8
  let cycle: UInt64
  let pc: UInt16

  @inline(__always)
  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) {
    guard let register = P.Register(rawValue: address) else { return }
    P.write(value, to: register, &chip.pointee, at: cycle, pc: pc)
    chip.pointee.update(P.self)
  }
}

/// The register's other bits, for SBI and CBI. None of the registers they can reach is changed by a
/// read.
private struct Keeping: PeripheralVisitor {
  let address: UInt8
  let cycle: UInt64

  func visit<P: Peripheral>(_: P.Type, _ chip: Peripherals) -> UInt8 {
    guard let register = P.Register(rawValue: address) else { return 0 }
    return P.kept(in: register, chip) ?? P.peek(register, chip, at: cycle) ?? 0
  }
}

private struct Drifting: PeripheralVisitor {
  let address: UInt8

  func visit<P: Peripheral>(_: P.Type, _: Void) -> RegisterDrift {
    P.Register(rawValue: address).map { P.drift(of: $0) } ?? .none
  }
}

private struct Counting: PeripheralVisitor {
  let address: UInt8
  let first: UInt64
  let period: UInt64
  let samples: Int
  let values: UnsafeMutablePointer<UInt8>

  func visit<P: Peripheral>(_: P.Type, _ chip: Peripherals) -> Bool {
    guard let register = P.Register(rawValue: address) else { return false }
    return P.count(register, chip, from: first, every: period, samples: samples, into: values)
  }
}
