/// An ATmega328P, as a value: copy it and you have a snapshot, compare two and you know whether
/// they will do the same.
///
/// Time is counted in clock cycles since power-on. Input comes in by `startBit`, `receive` and
/// `drive`; what can be seen is taken by `takeEvents`. `run(until:)` in two parts is the same as in
/// one, but for the instruction that is under way.
package struct ATmega328P: Hashable, Sendable {
  /// The largest boot section begins here.
  package static let bootSectionStart = 0x7000

  var flash = Flash()
  /// Registers, nothing where the I/O registers stand, SRAM: one byte an address,
  /// `DataSpace.count`.
  var data = [UInt8](repeating: 0, count: DataSpace.count)
  var access = DataSpace.plainAccess
  var core = Core()
  var peripherals = Peripherals()
  /// Whether loops that only wait, and sleep, are jumped over: the result is the same, only slower
  /// without.
  package var skipsWaiting = true
  var waiting = Uncompared(WaitingMemory())
  /// The word address at which the chip starts, and at which the boot section does.
  let resetVector: Int
  let bootSection: Int

  /// A chip at power-on, with these bytes in its flash. `bootloader` is the byte address at which
  /// it starts when that is not 0: the fuse BOOTRST is programmed, and the boot section begins
  /// there.
  package init(flash segments: [(address: Int, bytes: [UInt8])], bootloader: Int? = nil) {
    resetVector = (bootloader ?? 0) >> 1
    // An Uno's fuses: 512 bytes.
    bootSection = (bootloader ?? 0x7E00) >> 1
    for segment in segments { flash.program(segment.bytes, at: segment.address) }
    reset(.powerOn)
  }

  /// Clock cycles since power-on.
  package var cycle: UInt64 { core.cycle }
  /// The byte address of the next instruction.
  package var programCounter: UInt16 { UInt16(truncatingIfNeeded: core.pc << 1) }
  package var stackPointer: UInt16 { core.sp }
  package var statusRegister: UInt8 { core.sreg }
  /// Why it can't go on; nil while it can. Only a reset clears it.
  package var fault: Fault? { core.fault }
  package var isAsleep: Bool { core.isAsleep }
  /// A byte of registers or SRAM, by its address in the data space; nil where none is.
  package subscript(data address: UInt16) -> UInt8? {
    let address = Int(address)
    let isMemory = DataSpace.registers.contains(address) || DataSpace.sram.contains(address)
    return isMemory ? data[address] : nil
  }

  /// Writes of the program to these addresses of SRAM are put out as events.
  package mutating func watch(_ addresses: Range<UInt16>) {
    for address in addresses where DataSpace.sram.contains(Int(address)) {
      access[Int(address)] = DataSpace.Access.specialWrite.rawValue
    }
  }

  /// Restarts the chip. For so many cycles from now it is held, and only time passes.
  package mutating func reset(_ cause: ResetCause, heldFor cycles: UInt64 = 0) {
    peripherals.reset(cause, at: core.cycle)
    core.cycle += cycles
    if cycles > 0 { peripherals.restart(at: core.cycle) }
    core.reset(at: resetVector)
    waiting.value = WaitingMemory()
  }

  /// What has happened since it was last taken, in order of time.
  package mutating func takeEvents() -> [TimedChipEvent] {
    defer { peripherals.events.removeAll(keepingCapacity: true) }
    return peripherals.events
  }

  /// A start bit begins on RXD now.
  package mutating func startBit() { peripherals.startBit(at: core.cycle) }

  /// A frame has been received whole on RXD; now is the end of its stop bit.
  package mutating func receive(_ byte: UInt8, framingError: Bool = false) {
    peripherals.receive(byte, framingError: framingError, at: core.cycle)
  }

  /// A level is put on a pin from outside from now on; nil: nothing drives it.
  package mutating func drive(_ pin: Pin, _ isHigh: Bool?) {
    peripherals.drive(pin, isHigh, at: core.cycle)
  }

  /// What USART0 runs at, bits a second; nil while it is off.
  package var usartBaud: Int? { peripherals.usartBaud }
  /// Whether USART0's receiver is on.
  package var isReceiving: Bool { peripherals.isReceiving }
  /// The 1 024 bytes of the EEPROM.
  package var eeprom: [UInt8] {
    get { peripherals.eeprom }
    set { peripherals.eeprom = newValue }
  }

  package func level(of pin: Pin) -> Bool { peripherals.level(of: pin) }
}
