/// An ATmega328P, or a part like it, as a value: a copy is a snapshot, and equal values behave
/// identically.
///
/// Time is counted in clock cycles since power-on. Input arrives through `startBit`, `receive` and
/// `drive`; output is taken with `takeEvents`. Splitting a `run(until:)` in two changes nothing,
/// except that an instruction in progress at the split is completed.
package struct ATmega328P: Hashable, Sendable {
  var flash = Flash()
  /// The data space, one byte for each of `DataSpace.count` addresses: registers, an unused gap at
  /// the I/O registers, SRAM.
  var data = [UInt8](repeating: 0, count: DataSpace.count)
  var access = DataSpace.plainAccess
  var core = Core()
  var peripherals: Peripherals
  /// Whether wait loops and sleep are skipped. Without skipping, the result is the same but
  /// takes longer.
  package var skipsWaiting = true
  var waiting = Uncompared(WaitingMemory())
  /// The word address at which the chip starts, followed by that of the boot section.
  let resetVector: Int
  let bootSection: Int

  /// Creates a chip at power-on with these bytes in its flash.
  ///
  /// - Parameter bootloader: the byte address at which the chip starts if that is not 0. The
  ///   BOOTRST fuse is then programmed, and the boot section begins there.
  package init(
    flash segments: [(address: Int, bytes: [UInt8])], bootloader: Int? = nil,
    part: EmulatedPart = .atmega328p, rate: ClockRate = .uno
  ) {
    resetVector = (bootloader ?? 0) >> 1
    // An Uno's fuses give the boot section 512 bytes.
    bootSection = (bootloader ?? part.flashSize - 0x200) >> 1
    peripherals = Peripherals(part, rate)
    // Nothing is stored past the end of the SRAM.
    for address in (Int(part.sramEnd) + 1)..<DataSpace.sram.upperBound {
      access[address] = DataSpace.Access.specialWrite.rawValue
    }
    for segment in segments { flash.program(segment.bytes, at: segment.address) }
    reset(.powerOn)
  }

  /// Clock cycles since power-on.
  package var cycle: UInt64 { core.cycle }
  /// The byte address of the next instruction.
  package var programCounter: UInt16 { UInt16(truncatingIfNeeded: core.pc << 1) }
  package var stackPointer: UInt16 { core.sp }
  package var statusRegister: UInt8 { core.sreg }
  /// Why the chip cannot continue; nil while it can. Only a reset clears it.
  package var fault: Fault? { core.fault }
  package var isAsleep: Bool { core.isAsleep }
  /// A byte of the registers or SRAM, by its address in the data space; nil at any other address.
  package subscript(data address: UInt16) -> UInt8? {
    let address = Int(address)
    let isMemory = DataSpace.registers.contains(address) || DataSpace.sram.contains(address)
    return isMemory ? data[address] : nil
  }

  /// Reports the program's writes to these SRAM addresses as events.
  package mutating func watch(_ addresses: Range<UInt16>) {
    for address in addresses where DataSpace.sram.contains(Int(address)) {
      access[Int(address)] = DataSpace.Access.specialWrite.rawValue
    }
  }

  /// Reports calls of the function at a byte address of the flash as events.
  package mutating func watchEntry(at address: UInt16) { flash.markEntry(at: address) }

  /// Connects a PCA9685 servo driver to the two-wire bus, at an address from 0x40 to 0x7F.
  package mutating func attachDriver(at address: UInt8) {
    peripherals.TWI.drivers.append(PCA9685(address: address))
  }

  /// Adds noise to what the ADC measures.
  package mutating func add(_ noise: ADCNoise) { peripherals.noise = noise }

  /// Restarts the chip and holds it in reset for this many cycles, during which only time passes.
  package mutating func reset(_ cause: ResetCause, heldFor cycles: UInt64 = 0) {
    peripherals.reset(cause, at: core.cycle)
    core.cycle += cycles
    if cycles > 0 { peripherals.restart(at: core.cycle) }
    core.reset(at: resetVector, stack: peripherals.part.sramEnd)
    waiting.value = WaitingMemory()
  }

  /// Returns the events since the last call, in order of time, and removes them.
  package mutating func takeEvents() -> [TimedChipEvent] {
    defer { peripherals.events.removeAll(keepingCapacity: true) }
    return peripherals.events
  }

  /// Signals that a start bit begins on RXD now.
  package mutating func startBit() { peripherals.startBit(at: core.cycle) }

  /// Delivers a complete frame on RXD; its stop bit ends now.
  package mutating func receive(_ frame: ReceivedFrame) {
    peripherals.receive(frame, at: core.cycle)
  }

  /// Delivers a byte on RXD; its stop bit ends now.
  package mutating func receive(_ byte: UInt8) { receive(ReceivedFrame(byte)) }

  /// Applies an external level to a pin from now on; nil disconnects it.
  package mutating func drive(_ pin: Pin, _ isHigh: Bool?) {
    peripherals.drive(pin, isHigh, at: core.cycle)
  }

  /// Applies a voltage to a pin from now on, in microvolts up to the supply's 5 000 000.
  package mutating func apply(microvolts: Int32, to pin: Pin) {
    peripherals.apply(microvolts: microvolts, to: pin, at: core.cycle)
  }

  /// Applies a voltage to the analog input ADC6 or ADC7, which has no digital pin, in microvolts up
  /// to the supply's 5 000 000. Only the chip in the square package has these inputs: that of a
  /// Nano or a Pro Mini, not that of an Uno.
  package mutating func apply(microvolts: Int32, toChannel channel: UInt8) {
    peripherals.apply(microvolts: microvolts, toChannel: channel, at: core.cycle)
  }

  /// USART0's speed in bits a second; nil while it is off.
  package var usartBaud: Int? { peripherals.usartBaud }
  /// The duration of a bit of USART0, in clock cycles.
  package var usartBitCycles: UInt64 { peripherals.usart.bitCycles }
  /// The format of USART0's frames in both directions.
  package var usartFormat: FrameFormat { peripherals.usart.format }
  /// Whether USART0 takes eight samples a bit (U2X0), and not 16.
  package var usartSamplesFast: Bool { peripherals.usart.samplesFast }
  /// Whether USART0 receives the frame on the line: its receiver was on when the frame began, and
  /// its clock runs.
  package var takesFrame: Bool { peripherals.takesFrame }
  /// Whether USART0 does not receive the frame on the line because its clock is or was stopped.
  package var hasStoppedFrame: Bool { peripherals.hasStoppedFrame }
  /// Whether USART0, if it receives this frame, ignores it because it takes only addresses.
  package func ignores(_ frame: ReceivedFrame) -> Bool { peripherals.usart.ignores(frame) }
  /// The number of frames that USART0 has received and the program has not read.
  package var unreadCount: Int { peripherals.unreadCount }
  /// Whether USART0's receiver is on.
  package var isReceiving: Bool { peripherals.isReceiving }
  package var part: EmulatedPart { peripherals.part }
  package var rate: ClockRate { peripherals.rate }
  /// The bytes of the EEPROM.
  package var eeprom: [UInt8] {
    get { peripherals.eeprom }
    set { peripherals.eeprom = newValue }
  }

  /// The inputs with a pull-up whose changes interrupt the program, as those of a receiver by
  /// software.
  package var pinChangeInputs: [Pin] {
    Pin.Port.allCases.flatMap { port in
      let isOn = peripherals.external.PCICR & 1 << port.rawValue != 0
      let mask = isOn ? peripherals.external.PCMSK[Int(port.rawValue)] : 0
      let inputs = mask & peripherals.ports[port].PORT & ~peripherals.ports[port].outputs
      return (0..<8 as Range<UInt8>).filter { inputs & 1 << $0 != 0 }.map { Pin(port, $0) }
    }
  }

  package func level(of pin: Pin) -> Bool {
    var now = peripherals
    now.settleQuietOutputs(at: core.cycle)
    return now.level(of: pin)
  }

  /// Sets what is reported of the pins from now on.
  package mutating func set(_ watch: PinWatch) { peripherals.set(watch, at: core.cycle) }
}
