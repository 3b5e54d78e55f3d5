/// What the chip asks of each of its peripherals. All that there is to say of one stands in its own
/// file; which there are, and in which order, stands in `Peripherals.swift`.
///
/// The functions are given the whole chip, because what one peripheral does can reach another:
/// MCUCR switches the ports' pull-ups off. They are static, so that every call is to a function
/// that the compiler knows.
protocol Peripheral {
  /// Its registers by the data sheet's names. The raw value is the address in the data space, as
  /// LDS and STS use it; IN and OUT use 0x20 less (data sheet, "Register Summary").
  associatedtype Register: RawRepresentable<UInt8>, CaseIterable

  /// Its place in the table.
  static var owner: Peripherals.Owner { get }
  /// Its interrupts, a bit for each vector number (data sheet, "Reset and Interrupt Vectors in
  /// ATmega328P").
  static var vectors: UInt32 { get }

  // MARK: Registers

  /// What reading a register would give at a cycle that is no later than the next event, where
  /// reading it changes nothing; nil elsewhere.
  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8?
  /// The program reads a register. `pc` is the reading instruction's, in bytes.
  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8
  /// The program writes a register. Deadline and interrupts are looked at afterwards.
  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16)
  /// What SBI and CBI write to the other bits; nil: what is read there. 0 for flags that a 1
  /// clears.
  static func kept(in register: Register, _ chip: Peripherals) -> UInt8?
  /// How a register's value can change between events.
  static func drift(of register: Register) -> RegisterDrift
  /// What reading a register that counts would give at each of so many cycles before the next
  /// event. False: it is not known how to do that at once.
  static func count(
    _ register: Register, _ chip: Peripherals, from first: UInt64, every period: UInt64,
    lanes: Int, into values: UnsafeMutablePointer<UInt8>
  ) -> Bool

  // MARK: Time

  /// When it next does something by itself; `.max`: never.
  static func deadline(_ chip: Peripherals) -> UInt64
  /// Does what is due at its deadline, which is `cycle`. Deadline and interrupts are looked at
  /// afterwards.
  static func advance(_ chip: inout Peripherals, to cycle: UInt64)
  /// The I/O clock stops: the CPU sleeps in a mode deeper than idle.
  static func stopClock(_ chip: inout Peripherals, at cycle: UInt64)
  /// The I/O clock runs again after so many cycles.
  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64)

  // MARK: Interrupts

  /// Those that are flagged and enabled.
  static func interrupts(_ chip: Peripherals) -> UInt32
  /// The CPU enters one: the hardware clears its flag where it does so.
  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64)

  // MARK: Reset and snapshots

  /// Gives its registers their initial values.
  static func reset(_ chip: inout Peripherals, at cycle: UInt64)
  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot)
  /// False: it cannot be like this.
  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool
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
    lanes: Int, into values: UnsafeMutablePointer<UInt8>
  ) -> Bool { false }

  static func deadline(_ chip: Peripherals) -> UInt64 { .max }
  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {}
  static func stopClock(_ chip: inout Peripherals, at cycle: UInt64) {}
  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {}

  static func interrupts(_ chip: Peripherals) -> UInt32 { 0 }
  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {}
}
