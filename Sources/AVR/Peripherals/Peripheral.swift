/// A peripheral of the chip. Everything about a peripheral is in its own file; the list of
/// peripherals and their order is in `Peripherals.swift`.
///
/// The functions take the whole chip, because a peripheral can affect another: MCUCR switches off
/// the pull-ups of the ports. They are static, so that the compiler knows which function each call
/// reaches.
protocol Peripheral {
  /// Its registers by their names in the data sheet. The raw value is the address in the data
  /// space, as LDS and STS use it; IN and OUT use an address 0x20 lower (data sheet, "Register
  /// Summary").
  associatedtype Register: RawRepresentable<UInt8>, CaseIterable

  /// Its entry in the table.
  static var owner: Peripherals.Owner { get }
  /// Its interrupts, one bit for each vector number (data sheet, "Reset and Interrupt Vectors in
  /// ATmega328P").
  static var vectors: UInt32 { get }

  // MARK: Registers

  /// The value that a read would return at a cycle no later than the next event; nil if reading the
  /// register has an effect.
  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8?
  /// Reads a register for the program. `pc` is the byte address of the instruction.
  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8
  /// Writes a register for the program. The caller updates deadline and interrupts afterwards.
  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16)
  /// What SBI and CBI write to the register's other bits: 0 for flags that are cleared by writing
  /// 1; nil for the value that is read.
  static func kept(in register: Register, _ chip: Peripherals) -> UInt8?
  /// How a register's value can change between events.
  static func drift(of register: Register) -> RegisterDrift
  /// Computes what reads of a counting register would return at several cycles, all before the next
  /// event. Returns false if that is not supported.
  static func count(
    _ register: Register, _ chip: Peripherals, from first: UInt64, every period: UInt64,
    samples: Int, into values: UnsafeMutablePointer<UInt8>
  ) -> Bool

  // MARK: Time

  /// When its next event is due; `.max` if none is.
  static func deadline(_ chip: Peripherals) -> UInt64
  /// Handles the event at its deadline, `cycle`. The caller updates deadline and interrupts
  /// afterwards.
  static func advance(_ chip: inout Peripherals, to cycle: UInt64)
  /// Stops the I/O clock: the CPU enters a sleep mode deeper than idle.
  static func stopClock(_ chip: inout Peripherals, at cycle: UInt64)
  /// Restarts the I/O clock after it was stopped for this many cycles.
  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64)

  // MARK: Interrupts

  /// The interrupts that are flagged and enabled.
  static func interrupts(_ chip: Peripherals) -> UInt32
  /// Called when the CPU enters an interrupt. Clears its flag if the hardware does.
  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64)

  // MARK: Reset

  /// Sets the registers to their initial values.
  static func reset(_ chip: inout Peripherals, at cycle: UInt64)
}

extension Peripheral {
  static var vectors: UInt32 { 0 }

  @inline(__always)
  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8 {
    peek(register, chip, at: cycle) ?? 0
  }

  static func kept(in register: Register, _ chip: Peripherals) -> UInt8? { nil }
  static func drift(of register: Register) -> RegisterDrift { .none }
  static func count(
    _ register: Register, _ chip: Peripherals, from first: UInt64, every period: UInt64,
    samples: Int, into values: UnsafeMutablePointer<UInt8>
  ) -> Bool { false }

  static func deadline(_ chip: Peripherals) -> UInt64 { .max }
  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {}
  static func stopClock(_ chip: inout Peripherals, at cycle: UInt64) {}
  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {}

  static func interrupts(_ chip: Peripherals) -> UInt32 { 0 }
  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {}
}

/// A generic operation on one peripheral. The compiler specializes it for each of them, so that the
/// only decision at run time is which one to call.
protocol PeripheralVisitor {
  /// `Peripherals` for reading; a pointer to them for changes.
  associatedtype Chip
  associatedtype Outcome

  mutating func visit<P: Peripheral>(_ peripheral: P.Type, _ chip: Chip) -> Outcome
}

/// How a register's value can change between events without being written.
enum RegisterDrift: Hashable, Sendable {
  /// Not at all.
  case none
  /// It counts: TCNTn.
  case counts
  /// Sets flags whose interrupts are not enabled: TIFRn.
  case setsFlags
}
