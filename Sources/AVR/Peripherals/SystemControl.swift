/// The registers of sleep, reset, clock and interrupt control, and the general purpose ones.
struct SystemControl: Hashable, Sendable, Saved {
  private static let IVCE: UInt8 = 0x01
  private static let IVSEL: UInt8 = 0x02
  private static let PUD: UInt8 = 0x10
  private static let CLKPCE: UInt8 = 0x80

  var SMCR: UInt8 = 0
  /// PORF after power-on.
  var MCUSR: UInt8 = 1 << ResetCause.powerOn.rawValue
  var PRR: UInt8 = 0
  /// The factory's calibration of the oscillator that an Uno does not use: an arbitrary value.
  var OSCCAL: UInt8 = 0x9D
  var GPIOR0: UInt8 = 0
  var GPIOR1: UInt8 = 0
  var GPIOR2: UInt8 = 0
  var ASSR: UInt8 = 0
  var GTCCR: UInt8 = 0
  private var settings: UInt8 = 0
  private var clockPrescaler: UInt8 = 0
  // When IVCE and CLKPCE fall; `.max`: they are 0.
  private var vectorWindowEnd: UInt64 = .max
  private var clockWindowEnd: UInt64 = .max

  var deadline: UInt64 { min(vectorWindowEnd, clockWindowEnd) }
  /// While IVCE is set, no interrupt is taken.
  var holdsInterrupts: Bool { vectorWindowEnd != .max }
  var MCUCR: UInt8 { settings | (holdsInterrupts ? Self.IVCE : 0) }
  var CLKPR: UInt8 { clockPrescaler | (clockWindowEnd != .max ? Self.CLKPCE : 0) }
  var isWatchdogReset: Bool { MCUSR & (1 << ResetCause.watchdog.rawValue) != 0 }
  var hasPullUps: Bool { settings & Self.PUD == 0 }
  var vectorsInBootSection: Bool { settings & Self.IVSEL != 0 }

  var sleepMode: SleepMode? { SMCR & 1 == 0 ? nil : SleepMode(rawValue: (SMCR >> 1) & 0b111) }

  /// IVSEL takes its value from a write within four cycles of one that sets IVCE. BODS falls by itself and
  /// changes nothing that can be seen.
  mutating func write(MCUCR value: UInt8, at cycle: UInt64) {
    settings = settings & Self.IVSEL | value & Self.PUD
    if value & Self.IVCE != 0 {
      vectorWindowEnd = cycle + 5
    } else if vectorWindowEnd != .max {
      settings = settings & Self.PUD | value & Self.IVSEL
      vectorWindowEnd = .max
    }
  }

  /// CLKPS takes its value from a write within four cycles of one that sets CLKPCE alone.
  mutating func write(CLKPR value: UInt8, at cycle: UInt64) {
    if value == Self.CLKPCE {
      clockWindowEnd = cycle + 5
    } else if clockWindowEnd != .max, value & Self.CLKPCE == 0 {
      clockPrescaler = value & 0b1111
      clockWindowEnd = .max
    }
  }

  /// Whether it can be like this: what was read from a file may not.
  func isPossible(at cycle: UInt64) -> Bool {
    [vectorWindowEnd, clockWindowEnd].allSatisfy {
      $0 == .max || ($0 > cycle && $0 <= cycle + 5)
    }
  }

  /// Does what is due at `deadline`.
  mutating func advance(to cycle: UInt64) {
    if vectorWindowEnd <= cycle { vectorWindowEnd = .max }
    if clockWindowEnd <= cycle { clockWindowEnd = .max }
  }

  /// A power-on leaves its own flag alone; any other restart adds its flag.
  mutating func reset(_ cause: ResetCause) {
    let flags = cause == .powerOn ? 0 : MCUSR
    self = SystemControl()
    MCUSR = flags | 1 << cause.rawValue
  }
}
