/// Everything on the chip that is not the CPU, its registers and its memories: what stands at the
/// addresses 0x20...0xFF of the data space, except SPL, SPH and SREG.
///
/// Time is an argument: clock cycles since power-on, never less than in the call before. Nothing
/// happens between calls; what was due by then happens first.
struct Peripherals: Hashable, Sendable {
  /// The cycle at which something happens by itself next: a flag is set, a pin changes, a byte is sent.
  /// Kept up to date by every call.
  private(set) var nextEvent: UInt64 = .max
  /// Whether an interrupt is flagged and enabled in its own mask (SREG's I is the CPU's). Kept up to date.
  private(set) var isInterruptPending = false
  /// What happened, in order of time, since it was last taken.
  var events: [TimedChipEvent] = []

  init() {}

  /// Does what is due up to and including `cycle`.
  mutating func advance(to cycle: UInt64) {}

  /// The program reads a register. `pc` is the reading instruction's, in bytes.
  mutating func read(_ address: UInt16, at cycle: UInt64, pc: UInt16) -> UInt8 { 0 }

  /// The program writes a register. SBI and CBI write with `write(bit:)` instead.
  mutating func write(_ value: UInt8, to address: UInt16, at cycle: UInt64, pc: UInt16) {}

  /// SBI and CBI: one bit alone; the others are not even read (matters to flags cleared by a 1).
  mutating func write(
    bit: UInt8, _ isSet: Bool, of address: UInt16, at cycle: UInt64, pc: UInt16
  ) {}

  /// The vector number (1: INT0 ... 25: SPM Ready) of the flagged, enabled interrupt that goes first.
  func pendingVector() -> UInt8? { nil }
  /// The CPU enters the interrupt: the hardware clears its flag where it does so.
  mutating func acknowledge(_ vector: UInt8, at cycle: UInt64) {}

  // MARK: What the CPU's own instructions ask for

  /// SLEEP: the mode that SMCR asks for; nil where SE is 0 and the instruction does nothing.
  var sleepMode: SleepMode? { nil }
  /// WDR.
  mutating func resetWatchdog(at cycle: UInt64) {}
  /// SPM with Z and R1:R0: what is to be done to the flash, if anything; the CPU does it.
  mutating func storeProgramMemory(
    z: UInt16, word: UInt16, at cycle: UInt64, pc: UInt16
  ) -> FlashOperation? { nil }
  /// LPM soon after a write to SPMCSR reads the signature, fuses or lock bits; nil: it reads the flash.
  mutating func loadProgramMemoryOverride(z: UInt16, at cycle: UInt64) -> UInt8? { nil }
  /// For how many cycles more the access just made halts the CPU (EEPROM: 4 for a read, 2 for a write; SPM).
  /// Taking it clears it.
  mutating func takeStall() -> UInt32 { 0 }
  /// The watchdog ran out in system reset mode: the CPU is to restart. Taking it clears it.
  mutating func takePendingReset() -> ResetCause? { nil }
  /// The chip restarts: every register gets its initial value; EEPROM stays. The watchdog stays on after
  /// a watchdog reset, as WDRF forces WDE.
  mutating func reset(_ cause: ResetCause, at cycle: UInt64) {}
  /// MCUCR's IVSEL: the vectors stand in the boot section.
  var vectorsInBootSection: Bool { false }

  // MARK: What comes in from outside

  /// A start bit begins on RXD.
  mutating func startBit(at cycle: UInt64) {}
  /// A frame has been received whole on RXD: the end of its stop bit.
  mutating func receive(_ byte: UInt8, framingError: Bool, at cycle: UInt64) {}
  /// A level is put on a pin from outside; nil: nothing drives it (it reads high with its pull-up, else low).
  mutating func drive(_ pin: Pin, _ isHigh: Bool?, at cycle: UInt64) {}
  /// The level a pin drives, or has from outside.
  func level(of pin: Pin) -> Bool { false }
}
