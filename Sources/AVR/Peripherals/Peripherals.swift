/// Everything on the chip that is not the CPU, its registers and its memories: what stands at the
/// addresses 0x20...0xFF of the data space, except SPL, SPH and SREG.
///
/// Time is an argument: clock cycles since power-on, never less than in the call before. Nothing
/// happens between calls; what was due by then happens first. An access counts as made at its
/// instruction's first cycle.
struct Peripherals: Hashable, Sendable {
  // MARK: The table: a case, a property and a line of `visit` for each peripheral

  /// Every peripheral, in the order in which they are reset and restored, and do what is due at the
  /// same cycle. Ports go first, as what follows from a change of their pins is to be forgotten in
  /// a reset; the prescalers before their timers; system control, which knows the reset's cause,
  /// before the watchdog.
  ///
  /// Interrupts go by the number of their vector.
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

  // MARK: What they have in common

  /// The Uno's crystal, in hertz.
  static let clockFrequency = 16_000_000

  /// The cycle at which something happens by itself next: a flag is set, a pin changes, a byte is
  /// sent. Kept up to date by every call. Until then a register reads the same, except those that
  /// drift.
  private(set) var nextEvent: UInt64 = .max
  /// Whether an interrupt is flagged and enabled in its own mask (SREG's I is the CPU's). Kept up
  /// to date.
  private(set) var isInterruptPending = false
  /// What happened, in order of time, since it was last taken.
  var events: [TimedChipEvent] = []

  private(set) var deadlines = Deadlines()
  /// A bit for each vector number that is flagged and enabled.
  private(set) var pending: UInt32 = 0
  /// What the timers have told of and given to the pins.
  var outputs = TimerOutputs()
  var stall: UInt32 = 0
  /// Since when the I/O clock stands still in a sleep mode deeper than idle.
  var asleepSince: UInt64?
  /// What has been told of, by name.
  var noticed: Set<String> = []

  /// As after power-on, at cycle 0.
  init() {}

  /// Something that follows from a peripheral's state may have changed: when it does something by
  /// itself, and which interrupts it asks for.
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
