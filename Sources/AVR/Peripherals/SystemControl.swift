/// The registers for sleep, reset, clock and interrupt control, and the general purpose registers.
struct SystemControl: Hashable, Sendable, Codable {
  private static let IVCE: UInt8 = 0x01
  private static let IVSEL: UInt8 = 0x02
  private static let PUD: UInt8 = 0x10
  private static let CLKPCE: UInt8 = 0x80
  /// The bits of PRR that stop a peripheral other than a timer.
  enum PowerReduction {
    static let ADC: UInt8 = 0x01
    static let USART: UInt8 = 0x02
    static let SPI: UInt8 = 0x04
    static let TWI: UInt8 = 0x80
  }

  var SMCR: UInt8 = 0
  /// PORF is set after power-on.
  var MCUSR: UInt8 = 1 << ResetCause.powerOn.rawValue
  var PRR: UInt8 = 0
  /// The factory calibration of an oscillator that an Uno does not use: an arbitrary value.
  var OSCCAL: UInt8 = 0x9D
  var GPIOR0: UInt8 = 0
  var GPIOR1: UInt8 = 0
  var GPIOR2: UInt8 = 0
  private var settings: UInt8 = 0
  private var clockPrescaler: UInt8 = 0
  // When IVCE and CLKPCE are cleared; `.max` if they are 0.
  private var vectorWindowEnd: UInt64 = .max
  private var clockWindowEnd: UInt64 = .max

  var deadline: UInt64 { min(vectorWindowEnd, clockWindowEnd) }
  /// While IVCE is set, no interrupt is taken.
  var holdsInterrupts: Bool { vectorWindowEnd != .max }
  var MCUCR: UInt8 { settings | (holdsInterrupts ? Self.IVCE : 0) }
  var CLKPR: UInt8 { clockPrescaler | (clockWindowEnd != .max ? Self.CLKPCE : 0) }
  var isWatchdogReset: Bool { MCUSR & (1 << ResetCause.watchdog.rawValue) != 0 }
  var hasPullUps: Bool { settings & Self.PUD == 0 }
  /// IVSEL in MCUCR.
  var vectorsInBootSection: Bool { settings & Self.IVSEL != 0 }

  /// The mode that SLEEP enters; nil if SE is 0 and SLEEP does nothing.
  var sleepMode: SleepMode? { SMCR & 1 == 0 ? nil : SleepMode(rawValue: (SMCR >> 1) & 0b111) }

  /// A write changes IVSEL only within four cycles of one that sets IVCE. BODS clears itself and
  /// has no visible effect.
  mutating func write(MCUCR value: UInt8, at cycle: UInt64) {
    settings = settings & Self.IVSEL | value & Self.PUD
    if value & Self.IVCE != 0 {
      vectorWindowEnd = cycle + 5
    } else if vectorWindowEnd != .max {
      settings = settings & Self.PUD | value & Self.IVSEL
      vectorWindowEnd = .max
    }
  }

  /// A write changes CLKPS only within four cycles of one that sets CLKPCE alone.
  mutating func write(CLKPR value: UInt8, at cycle: UInt64) {
    if value == Self.CLKPCE {
      clockWindowEnd = cycle + 5
    } else if clockWindowEnd != .max, value & Self.CLKPCE == 0 {
      clockPrescaler = value & 0b1111
      clockWindowEnd = .max
    }
  }

  mutating func advance(to cycle: UInt64) {
    if vectorWindowEnd <= cycle { vectorWindowEnd = .max }
    if clockWindowEnd <= cycle { clockWindowEnd = .max }
  }

  /// A power-on sets only its own flag; any other reset adds its flag.
  mutating func note(_ cause: ResetCause) {
    let flags = cause == .powerOn ? 0 : MCUSR
    MCUSR = flags | 1 << cause.rawValue
  }

  /// Resets everything except the flags of the reset's cause.
  mutating func reset() {
    let flags = MCUSR
    self = SystemControl()
    MCUSR = flags
  }
}

extension SystemControl: Peripheral {
  enum Register: UInt8, CaseIterable {
    case GPIOR0 = 0x3E
    case GPIOR1 = 0x4A, GPIOR2
    case SMCR = 0x53, MCUSR, MCUCR
    case CLKPR = 0x61
    case PRR = 0x64
    case OSCCAL = 0x66
  }

  static let owner = Peripherals.Owner.system

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .GPIOR0: chip.system.GPIOR0
    case .GPIOR1: chip.system.GPIOR1
    case .GPIOR2: chip.system.GPIOR2
    case .SMCR: chip.system.SMCR
    case .MCUSR: chip.system.MCUSR
    case .MCUCR: chip.system.MCUCR
    case .CLKPR: chip.system.CLKPR
    case .PRR: chip.system.PRR
    case .OSCCAL: chip.system.OSCCAL
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .GPIOR0: chip.system.GPIOR0 = value
    case .GPIOR1: chip.system.GPIOR1 = value
    case .GPIOR2: chip.system.GPIOR2 = value
    case .SMCR: chip.system.SMCR = value & 0b1111
    case .MCUSR:
      chip.system.MCUSR &= value
      chip.watchdog.set(isForced: chip.system.isWatchdogReset, at: cycle, chip.rate)
      chip.update(Watchdog.self)
    case .MCUCR:
      chip.system.write(MCUCR: value, at: cycle)
      let hasPullUps = chip.system.hasPullUps
      for port in Pin.Port.allCases {
        chip.change(port, at: cycle) { $0.set(hasPullUps: hasPullUps) }
      }
    case .CLKPR:
      chip.system.write(CLKPR: value, at: cycle)
      if chip.system.CLKPR & 0b1111 != 0 { chip.notice("CLKPR", at: cycle, pc: pc) }
    case .PRR:
      if value & PowerReduction.USART != 0 { chip.notice("PRUSART0", at: cycle, pc: pc) }
      let before = chip.system.PRR
      chip.system.PRR = value & 0b1110_1111
      chip.stopClocks(since: before, at: cycle)
      chip.synchronizeTimers(to: cycle)
      chip.hold(
        .powerReduction, timer0: value & 0x20 != 0, timer1: value & 0x08 != 0,
        timer2: value & 0x40 != 0, at: cycle)
    case .OSCCAL: chip.system.OSCCAL = value
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.system.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    chip.system.advance(to: cycle)
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.system.reset()
    chip.stopped = StoppedClocks()
  }
}

/// When PRR stopped the clock of a peripheral; nil if its clock runs.
///
/// A stopped peripheral keeps its state, and writes to its registers have no effect (data sheet,
/// "Power Reduction Register": the registers can neither be read nor written). The data sheet does
/// not say what a read returns; here it is what the register keeps.
struct StoppedClocks: Hashable, Sendable, Codable {
  var ADC: UInt64?
  var SPI: UInt64?
  var TWI: UInt64?
}

extension Peripherals {
  /// Stops and restarts clocks after PRR has changed.
  fileprivate mutating func stopClocks(since before: UInt8, at cycle: UInt64) {
    /// Returns for how long the clock was stopped, if it restarts.
    func change(_ bit: UInt8, _ since: inout UInt64?) -> UInt64? {
      let isStopped = system.PRR & bit != 0
      guard isStopped != (before & bit != 0) else { return nil }
      defer { since = isStopped ? cycle : nil }
      return isStopped ? nil : since.map { cycle &- $0 }
    }
    if let cycles = change(SystemControl.PowerReduction.ADC, &stopped.ADC) {
      ADC.pause(for: cycles, at: cycle)
    }
    if let cycles = change(SystemControl.PowerReduction.SPI, &stopped.SPI) {
      SPI.pause(for: cycles)
    }
    if let cycles = change(SystemControl.PowerReduction.TWI, &stopped.TWI) {
      TWI.pause(for: cycles)
    }
    update(AVR.ADC.self)
    update(AVR.SPI.self)
    update(AVR.TWI.self)
  }
}

/// The sleep modes of SMCR (data sheet, "Power Management and Sleep Modes").
package enum SleepMode: UInt8, Hashable, Sendable {
  case idle = 0b000
  case adcNoiseReduction = 0b001
  case powerDown = 0b010
  case powerSave = 0b011
  case standby = 0b110
  case extendedStandby = 0b111
}

/// Why the chip restarted. The raw value is its bit in MCUSR (data sheet, "MCU Status Register").
package enum ResetCause: UInt8, Hashable, Sendable, Codable, CaseIterable {
  case powerOn = 0
  case external = 1
  case brownOut = 2
  case watchdog = 3
}
