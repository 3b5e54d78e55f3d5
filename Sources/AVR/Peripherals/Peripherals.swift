/// Everything on the chip except the CPU, its registers and its memories: the addresses 0x20...0xFF
/// of the data space, without SPL, SPH and SREG.
///
/// Time is an argument: clock cycles since power-on, never decreasing from call to call. Nothing
/// happens between calls; each call first handles the events that have become due. A register is
/// read at the beginning of its instruction's last cycle and written at its end.
struct Peripherals: Hashable, Sendable {
  // MARK: The table: a case, a property and a line of `visit` for each peripheral

  /// Every peripheral, in the order in which they are reset and restored, and in which they handle
  /// events due at the same cycle. Ports come first, because the effects of a change of their pins
  /// must be cleared by the reset; prescalers come before their timers; and system control, which
  /// knows the cause of the reset, comes before the watchdog.
  ///
  /// Interrupts are taken in the order of their vector numbers.
  enum Owner: UInt8, CaseIterable, Hashable, Sendable {
    case ports, external, prescalers, timer0, timer1, timer2, usart, system, watchdog, EEPROM
    case selfProgramming, ADC, comparator, SPI, TWI
  }

  var ports = Ports()
  var external = ExternalInterrupts()
  var prescalers = Prescalers(at: 0)
  var timer0 = Timer0.initial(at: 0)
  var timer1 = Timer16(at: 0)
  var timer2 = Timer2.initial(at: 0)
  var usart = USART()
  var system = SystemControl()
  var watchdog = Watchdog()
  var EEPROM = AVR.EEPROM()
  var selfProgramming = SelfProgramming()
  var ADC = AVR.ADC()
  var comparator = AnalogComparator()
  var SPI = AVR.SPI()
  var TWI = AVR.TWI()

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
  /// The names of the features already reported as not emulated.
  var noticed: Set<String> = []

  let part: EmulatedPart
  let rate: ClockRate

  /// The state after power-on, at cycle 0.
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
struct Deadlines: Hashable, Sendable {
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
