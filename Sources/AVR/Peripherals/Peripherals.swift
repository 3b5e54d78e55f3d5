/// Everything on the chip that is not the CPU, its registers and its memories: what stands at the
/// addresses 0x20...0xFF of the data space, except SPL, SPH and SREG.
///
/// Time is an argument: clock cycles since power-on, never less than in the call before. Nothing
/// happens between calls; what was due by then happens first. An access counts as made at its
/// instruction's first cycle.
struct Peripherals: Hashable, Sendable {
  /// The Uno's crystal, in hertz.
  static let clockFrequency = 16_000_000

  /// The cycle at which something happens by itself next: a flag is set, a pin changes, a byte is sent.
  /// Kept up to date by every call. Until then a register reads the same, except those of which
  /// `countsByItself` says otherwise.
  var nextEvent: UInt64 = .max
  /// Whether an interrupt is flagged and enabled in its own mask (SREG's I is the CPU's). Kept up to date.
  var isInterruptPending = false
  /// What happened, in order of time, since it was last taken.
  var events: [TimedChipEvent] = []

  var deadlines = Deadlines()
  /// A bit for each vector number that is flagged and enabled.
  var pending: UInt32 = 0
  var portB = Port()
  var portC = Port()
  var portD = Port()
  var external = ExternalInterrupts()
  /// Of Timers 0 and 1, and of Timer 2.
  var prescaler = Prescaler(at: 0)
  var prescaler2 = Prescaler(at: 0)
  var timer0 = Timer8(vector: 14, at: 0)
  var timer1 = Timer16(at: 0)
  var timer2 = Timer8(vector: 7, at: 0)
  var outputs = TimerOutputs()
  var usart = USART()
  var watchdog = Watchdog()
  var EEPROM = AVR.EEPROM()
  var selfProgramming = SelfProgramming()
  var ADC = AVR.ADC()
  var system = SystemControl()
  var stored = StoredRegisters()
  var stall: UInt32 = 0
  /// Since when the I/O clock stands still in a sleep mode deeper than idle.
  var asleepSince: UInt64?
  /// What has been told of, by name.
  var noticed: Set<String> = []

  /// As after power-on, at cycle 0.
  init() {}

  /// Does what is due up to and including `cycle`.
  mutating func advance(to cycle: UInt64) {
    while nextEvent <= cycle { happen(at: nextEvent) }
  }

  /// Whether a register's value can change between events: TCNTn counts, and flags in TIFRn that are not
  /// enabled are set.
  static func countsByItself(_ address: UInt16) -> Bool {
    switch Register(rawValue: address) {
    case .TCNT0, .TCNT1L, .TCNT2, .TIFR0, .TIFR1, .TIFR2: true
    default: false
    }
  }

  /// Whether all that changes so is bits that are set: TIFRn.
  static func onlySetsByItself(_ address: UInt16) -> Bool {
    switch Register(rawValue: address) {
    case .TIFR0, .TIFR1, .TIFR2: true
    default: false
    }
  }

  // MARK: Interrupts

  /// The vector number (1: INT0 ... 25: SPM Ready) of the flagged, enabled interrupt that goes first.
  func pendingVector() -> UInt8? {
    isInterruptPending ? UInt8(pending.trailingZeroBitCount) : nil
  }

  /// The CPU enters the interrupt: the hardware clears its flag where it does so.
  mutating func acknowledge(_ vector: UInt8, at cycle: UInt64) {
    advance(to: cycle)
    switch vector {
    case 1...5:
      external.acknowledge(vector)
      setPending(external.interrupts, of: Vectors.external)
    case 6:
      watchdog.acknowledge()
      updateOthers()
    case 7...9:
      timer2.acknowledge(vector, at: cycle)
      timer2Counted()
    case 10...13:
      timer1.acknowledge(vector, at: cycle)
      timer1Counted()
    case 14...16:
      timer0.acknowledge(vector, at: cycle)
      timer0Counted()
    case 20:
      usart.acknowledgeTransmitComplete()
      updateUSART()
    case 21:
      ADC.acknowledge()
      updateOthers()
    default: break
    }
    nextEvent = deadlines.earliest
  }

  // MARK: What the CPU's own instructions ask for

  /// SLEEP: the mode that SMCR asks for; nil where SE is 0 and the instruction does nothing.
  var sleepMode: SleepMode? { system.sleepMode }

  /// The CPU sleeps. In any mode but idle the I/O clock stops: timers and USART0 stand still until `wake(at:)`.
  mutating func sleep(_ mode: SleepMode, at cycle: UInt64) {
    advance(to: cycle)
    guard mode != .idle, asleepSince == nil else { return }
    hold(.sleep, true, at: cycle)
    asleepSince = cycle
    updateUSART()
    nextEvent = deadlines.earliest
  }

  /// The CPU is awake again.
  mutating func wake(at cycle: UInt64) {
    advance(to: cycle)
    guard let since = asleepSince else { return }
    asleepSince = nil
    prescaler.pause(for: cycle - since)
    prescaler2.pause(for: cycle - since)
    hold(.sleep, false, at: cycle)
    usart.pause(for: cycle - since)
    updateUSART()
    nextEvent = deadlines.earliest
  }

  /// WDR.
  mutating func resetWatchdog(at cycle: UInt64) {
    advance(to: cycle)
    watchdog.restart(at: cycle)
    updateOthers()
  }

  /// SPM with Z and R1:R0: what is to be done to the flash, if anything; the CPU does it.
  mutating func storeProgramMemory(
    z: UInt16, word: UInt16, at cycle: UInt64, pc: UInt16
  ) -> FlashOperation? {
    advance(to: cycle)
    guard pc >= SelfProgramming.noReadWhileWrite else {
      notice("SPM outside the boot section", at: cycle, pc: pc)
      return nil
    }
    let (operation, halted) = selfProgramming.store(z: z, word: word, at: cycle)
    stall += halted
    updateOthers()
    return operation
  }

  /// Whether LPM reads something other than the flash now: fuses, lock bits or the signature.
  var overridesProgramMemory: Bool { selfProgramming.overridesProgramMemory }

  /// LPM while `overridesProgramMemory`; nil: the flash is to be read after all.
  mutating func loadProgramMemoryOverride(z: UInt16, at cycle: UInt64) -> UInt8? {
    advance(to: cycle)
    defer { updateOthers() }
    return selfProgramming.load(z: z, OSCCAL: system.OSCCAL)
  }

  /// For how many cycles more the access just made halts the CPU (EEPROM: 4 for a read, 2 for a write; SPM).
  /// Taking it clears it.
  mutating func takeStall() -> UInt32 {
    defer { stall = 0 }
    return stall
  }

  /// The watchdog ran out in system reset mode: the CPU is to restart. Taking it clears it.
  mutating func takePendingReset() -> ResetCause? {
    watchdog.asksForReset && watchdog.takeReset() ? .watchdog : nil
  }

  /// Whether the watchdog runs, so that it may restart the chip, if nothing else does.
  var canRestart: Bool { watchdog.isRunning }

  /// MCUCR's IVSEL: the vectors stand in the boot section.
  var vectorsInBootSection: Bool { system.vectorsInBootSection }

  /// The EEPROM's 1 024 bytes.
  var eeprom: [UInt8] {
    get { EEPROM.contents }
    set { EEPROM.contents = newValue }
  }
}
