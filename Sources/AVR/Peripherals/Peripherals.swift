/// Everything on the chip except the CPU, its registers and its memories: the addresses 0x20...0xFF
/// of the data space, without SPL, SPH and SREG.
///
/// Time is an argument: clock cycles since power-on, never decreasing from call to call. Nothing
/// happens between calls; each call first handles the events that have become due. A register is
/// read at the beginning of its instruction's last cycle and written at its end.
struct Peripherals: Hashable, Sendable, Codable {
  // MARK: The table: a case, a property and a line of `visit` for each peripheral

  /// Every peripheral, in the order in which they are reset, and in which they handle events due
  /// at the same cycle. Ports come first, because the effects of a change of their pins
  /// must be cleared by the reset; prescalers come before their timers; and system control, which
  /// knows the cause of the reset, comes before the watchdog.
  ///
  /// Interrupts are taken in the order of their vector numbers.
  enum Owner: UInt8, CaseIterable, Hashable, Sendable {
    case ports, external, prescalers, timer0, timer1, timer2, usart, system, watchdog, EEPROM
    case selfProgramming, ADC, comparator, SPI, TWI, parts
  }

  var ports = Ports()
  var external = ExternalInterrupts()
  var prescalers = Prescalers(at: 0)
  var timer0 = Timer8(at: 0)
  var timer1 = Timer16(at: 0)
  var timer2 = Timer8(at: 0)
  var usart = USART()
  var system = SystemControl()
  var watchdog = Watchdog()
  var EEPROM = AVR.EEPROM()
  var selfProgramming = SelfProgramming()
  var ADC = AVR.ADC()
  var comparator = AnalogComparator()
  var SPI = AVR.SPI()
  var TWI = AVR.TWI()
  var parts = Parts()

  @inline(__always)
  static func visit<V: PeripheralVisitor>(
    _ owner: Owner, _ chip: V.Chip, _ visitor: inout V
  ) -> V.Outcome {
    switch owner {
    case .ports: visitor.visit(Ports.self, chip)
    case .external: visitor.visit(ExternalInterrupts.self, chip)
    case .prescalers: visitor.visit(Prescalers.self, chip)
    case .timer0: visitor.visit(Timer0.self, chip)
    case .timer1: visitor.visit(Timer1.self, chip)
    case .timer2: visitor.visit(Timer2.self, chip)
    case .usart: visitor.visit(USART.self, chip)
    case .system: visitor.visit(SystemControl.self, chip)
    case .watchdog: visitor.visit(Watchdog.self, chip)
    case .EEPROM: visitor.visit(AVR.EEPROM.self, chip)
    case .selfProgramming: visitor.visit(SelfProgramming.self, chip)
    case .ADC: visitor.visit(AVR.ADC.self, chip)
    case .comparator: visitor.visit(AnalogComparator.self, chip)
    case .SPI: visitor.visit(AVR.SPI.self, chip)
    case .TWI: visitor.visit(AVR.TWI.self, chip)
    case .parts: visitor.visit(Parts.self, chip)
    }
  }

  static let map = AddressMap()

  // MARK: State that they share

  /// The cycle of the next event: a flag is set, a pin changes, a byte is sent. Every call keeps it
  /// up to date. Until then, reads of a register return the same value, unless it drifts.
  private(set) var nextEvent: UInt64 = .max
  /// Whether an interrupt is flagged and enabled in its own mask (the CPU checks I in SREG). Kept
  /// up to date.
  private(set) var isInterruptPending = false
  /// The events since they were last taken, in order of time.
  var events: [TimedChipEvent] = []

  private(set) var deadlines = Deadlines()
  /// One bit for each vector number that is flagged and enabled.
  private(set) var pending: UInt32 = 0
  /// The voltages applied to pins.
  var analog = AnalogInputs()
  /// The noise of the ADC; nil if it has none.
  var noise: ADCNoise?
  /// What is reported of the pins.
  var watch = PinWatch()
  /// What the timers last reported and applied to the pins.
  var outputs = TimerOutputs()
  var stall: UInt32 = 0
  /// When the I/O clock stopped in a sleep mode deeper than idle; nil if it runs.
  var asleepSince: UInt64?
  /// The clocks that PRR has stopped.
  var stopped = StoppedClocks()
  /// Whether the program has read port D, which RXD belongs to.
  var hasReadPIND = false
  /// The names of the features already reported as not emulated.
  private var noticed: [String] = []

  let part: EmulatedPart
  let rate: ClockRate
  /// SPM halts the CPU for 4.5 ms; this leaves some margin. In microseconds.
  private static let longestInstruction: UInt64 = 5_000

  init(_ part: EmulatedPart = .atmega328p, _ rate: ClockRate = .uno) {
    self.part = part
    self.rate = rate
  }

  /// Updates what depends on a peripheral's state: its deadline and the interrupts that it
  /// requests.
  @inline(__always)
  mutating func update<P: Peripheral>(_: P.Type) {
    let before = deadlines[P.owner]
    let now = P.deadline(self)
    if now != before {
      deadlines[P.owner] = now
      if now <= nextEvent {
        nextEvent = now
      } else if before == nextEvent {
        nextEvent = deadlines.earliest
      }
    }
    pending = pending & ~P.vectors | P.interrupts(self)
    isInterruptPending = pending != 0 && !system.holdsInterrupts
  }

  /// Finds the deadlines and interrupts again, after the peripherals were read from a file. Returns
  /// false if they could not run on from `cycle`: a memory has another size, a timer would never
  /// count, or an event is due so long ago that no instruction can have run past it.
  mutating func resume(at cycle: UInt64) -> Bool {
    (deadlines, nextEvent, pending) = (Deadlines(), .max, 0)
    updateAll()
    let counters = [timer0.counter, timer1.counter, timer2.counter]
    return EEPROM.contents.count == AVR.EEPROM.size && selfProgramming.isWhole && parts.areWhole
      && counters.allSatisfy { $0.shift ?? 0 <= 10 }
      && cycle - min(nextEvent, cycle) <= rate.cycles(inMicroseconds: Self.longestInstruction)
  }
}

/// The owner of each register and interrupt. Built once from what the peripherals declare.
struct AddressMap: Sendable {
  /// By address, 0...0xFF; nil if reserved.
  let registers: [Peripherals.Owner?]
  /// By vector number, 0...31; nil if there is no such interrupt or its source is not emulated.
  let vectors: [Peripherals.Owner?]

  init() {
    var claims = Claims()
    for owner in Peripherals.Owner.allCases { Peripherals.visit(owner, (), &claims) }
    registers = claims.registers
    vectors = claims.vectors
  }

  private struct Claims: PeripheralVisitor {
    var registers = [Peripherals.Owner?](repeating: nil, count: 0x100)
    var vectors = [Peripherals.Owner?](repeating: nil, count: 32)

    mutating func visit<P: Peripheral>(_: P.Type, _: Void) {
      for register in P.Register.allCases {
        let address = Int(register.rawValue)
        precondition(registers[address] == nil, "two peripherals have one register")
        registers[address] = P.owner
      }
      for vector in 0..<32 where P.vectors & (1 << UInt32(vector)) != 0 {
        precondition(vectors[vector] == nil, "two peripherals have one interrupt")
        vectors[vector] = P.owner
      }
    }
  }
}

/// When each peripheral's next event is due; `.max` if none is.
struct Deadlines: Hashable, Sendable, Codable {
  private var cycles = SIMD16<UInt64>(repeating: .max)

  @inline(__always)
  subscript(owner: Peripherals.Owner) -> UInt64 {
    get { cycles[Int(owner.rawValue)] }
    set { cycles[Int(owner.rawValue)] = newValue }
  }

  var earliest: UInt64 {
    var earliest = cycles[0]
    for index in 1..<cycles.scalarCount { earliest = Swift.min(earliest, cycles[index]) }
    return earliest
  }
}

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
    notice("reserved register 0x\(Hex.byte(address))", at: cycle, pc: pc)
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

// Events, interrupts, resets and sleep, dispatched to the peripherals.
extension Peripherals {
  /// Handles all events due up to and including `cycle`.
  mutating func advance(to cycle: UInt64) {
    while nextEvent <= cycle { happen(at: nextEvent) }
  }

  /// Handles the events due at `cycle` and none before.
  private mutating func happen(at cycle: UInt64) {
    for owner in Owner.allCases where deadlines[owner] <= cycle {
      call(owner, .advance, at: cycle)
    }
  }

  /// Calls a function of a peripheral, and updates what depends on its state.
  @inline(__always)
  private mutating func call(_ owner: Owner, _ function: Call.Function, at cycle: UInt64) {
    var call = Call(function: function, cycle: cycle)
    withUnsafeMutablePointer(to: &self) { Self.visit(owner, $0, &call) }
  }

  mutating func put(_ event: ChipEvent, at cycle: UInt64) {
    events.append(TimedChipEvent(cycle: cycle, event: event))
  }

  /// Adds an event that was found later, at its place in the order of time.
  mutating func insert(_ event: ChipEvent, at cycle: UInt64) {
    let index = events.firstIndex { $0.cycle > cycle } ?? events.endIndex
    events.insert(TimedChipEvent(cycle: cycle, event: event), at: index)
  }

  /// Reports once that a feature is not emulated.
  mutating func notice(_ name: String, at cycle: UInt64, pc: UInt16) {
    guard !noticed.contains(name) else { return }
    noticed.append(name)
    put(.notice(Notice(name: name, address: pc)), at: cycle)
  }

  /// Reports once that no device on the two-wire bus has an address.
  mutating func noticeSilence(of address: UInt8, at cycle: UInt64) {
    let name = "TWI 0x\(String(address, radix: 16))"
    guard !noticed.contains(name) else { return }
    noticed.append(name)
    put(.unanswered(address), at: cycle)
  }

  // MARK: Interrupts

  /// The vector number (1: INT0 ... 25: SPM Ready) of the flagged and enabled interrupt with the
  /// highest priority.
  func pendingVector() -> UInt8? {
    isInterruptPending ? UInt8(pending.trailingZeroBitCount) : nil
  }

  /// Called when the CPU enters an interrupt. Clears its flag if the hardware does.
  mutating func acknowledge(_ vector: UInt8, at cycle: UInt64) {
    advance(to: cycle)
    guard let owner = Self.map.vectors[Int(vector)] else { return }
    call(owner, .acknowledge(vector), at: cycle)
  }

  // MARK: Reset

  /// Restarts the chip: every register is set to its initial value; the EEPROM keeps its contents.
  /// After a watchdog reset the watchdog stays on, as WDRF forces WDE.
  mutating func reset(_ cause: ResetCause, at cycle: UInt64) {
    advance(to: cycle)
    put(.reset(cause), at: cycle)
    system.note(cause)
    restart(at: cycle)
  }

  /// Sets every register except MCUSR to its initial value and starts the clocks.
  mutating func restart(at cycle: UInt64) {
    advance(to: cycle)
    stall = 0
    asleepSince = nil
    for owner in Owner.allCases { call(owner, .reset, at: cycle) }
    // Each has seen others that were not reset yet.
    updateAll()
  }

  mutating func updateAll() {
    for owner in Owner.allCases { call(owner, .update, at: 0) }
  }

  // MARK: Sleep

  /// Puts the CPU to sleep. In any mode except idle the I/O clock stops, and with it the timers and
  /// USART0, until `wake(at:)`.
  mutating func sleep(_ mode: SleepMode, at cycle: UInt64) {
    advance(to: cycle)
    if stopped.ADC == nil { ADC.fallAsleep(mode, at: cycle) }
    update(AVR.ADC.self)
    guard mode != .idle, asleepSince == nil else { return }
    asleepSince = cycle
    for owner in Owner.allCases { call(owner, .stopClock, at: cycle) }
    changeOutputs(at: cycle)
  }

  mutating func wake(at cycle: UInt64) {
    advance(to: cycle)
    guard let since = asleepSince else { return }
    asleepSince = nil
    for owner in Owner.allCases { call(owner, .startClock(after: cycle &- since), at: cycle) }
    changeOutputs(at: cycle)
  }
}

/// A function of a peripheral that can change it.
private struct Call: PeripheralVisitor {
  enum Function {
    case advance, acknowledge(UInt8), reset, stopClock, startClock(after: UInt64), update
  }

  let function: Function
  let cycle: UInt64

  @inline(__always)
  func visit<P: Peripheral>(_: P.Type, _ chip: UnsafeMutablePointer<Peripherals>) {
    switch function {
    case .advance: P.advance(&chip.pointee, to: cycle)
    case .acknowledge(let vector): P.acknowledge(vector, &chip.pointee, at: cycle)
    case .reset: P.reset(&chip.pointee, at: cycle)
    case .stopClock: P.stopClock(&chip.pointee, at: cycle)
    case .startClock(let cycles): P.startClock(&chip.pointee, after: cycles, at: cycle)
    case .update: break
    }
    chip.pointee.update(P.self)
  }
}
