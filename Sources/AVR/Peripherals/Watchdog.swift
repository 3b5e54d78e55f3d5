/// The watchdog timer (data sheet, "System Control and Reset"). Its oscillator is assumed to run at
/// exactly 128 kHz: one tick takes 125 clock cycles at 16 MHz.
struct Watchdog: Hashable, Sendable, Codable {
  private enum Bit {
    static let WDIF: UInt8 = 0x80
    static let WDIE: UInt8 = 0x40
    static let WDCE: UInt8 = 0x10
    static let WDE: UInt8 = 0x08
    static let prescaler: UInt8 = 0b0010_0111
  }

  /// The register's bits, including the current WDIF and WDCE.
  private var bits: UInt8 = 0
  /// WDRF in MCUSR. It sets WDE, which then cannot be cleared. Clearing WDRF leaves WDE as it is
  /// (data sheet, "WDTCSR": to clear WDE, WDRF must be cleared first).
  private var isForced = false
  /// When it started to count; nil if it is off.
  private var start: UInt64?
  private(set) var timeOut: UInt64 = .max
  /// When WDCE is cleared; `.max` if it is 0.
  private var windowEnd: UInt64 = .max
  /// Set by a time-out in system reset mode.
  fileprivate(set) var asksForReset = false

  var WDTCSR: UInt8 { bits }
  var deadline: UInt64 { min(timeOut, windowEnd) }
  /// Vector 6.
  var isInterrupting: Bool { bits & (Bit.WDIF | Bit.WDIE) == Bit.WDIF | Bit.WDIE }

  /// The period in clock cycles: 2K to 1024K of the oscillator's. Reserved settings are treated as
  /// the longest.
  private func period(_ rate: ClockRate) -> UInt64 {
    let exponent = min((bits >> 2) & 0b1000 | bits & 0b111, 9)
    return UInt64(rate.hertz) * (2_048 << UInt64(exponent)) / 128_000
  }

  var isRunning: Bool { start != nil }

  /// Anything can be changed within four cycles of a write that sets WDCE and WDE; otherwise WDE
  /// can only be set, and the prescaler is kept.
  mutating func write(WDTCSR value: UInt8, at cycle: UInt64, _ rate: ClockRate) {
    var next = bits & Bit.WDIF
    if value & Bit.WDIF != 0 { next = 0 }
    next |= value & Bit.WDIE
    if windowEnd != .max, value & Bit.WDCE == 0 {
      next |= value & (Bit.WDE | Bit.prescaler)
      windowEnd = .max
    } else {
      next |= (bits | value) & Bit.WDE | bits & Bit.prescaler
      if value & (Bit.WDCE | Bit.WDE) == Bit.WDCE | Bit.WDE {
        next |= Bit.WDCE
        windowEnd = cycle + 5
      } else if windowEnd != .max {
        next |= Bit.WDCE
      }
    }
    bits = next | (isForced ? Bit.WDE : 0)
    schedule(at: cycle, rate)
  }

  mutating func set(isForced: Bool, at cycle: UInt64, _ rate: ClockRate) {
    self.isForced = isForced
    if isForced { bits |= Bit.WDE }
    schedule(at: cycle, rate)
  }

  mutating func restart(at cycle: UInt64, _ rate: ClockRate) {
    if start != nil { start = cycle }
    schedule(at: cycle, rate)
  }

  mutating func advance(to cycle: UInt64, _ rate: ClockRate) {
    if windowEnd <= cycle {
      windowEnd = .max
      bits &= ~Bit.WDCE
    }
    guard timeOut <= cycle else { return }
    if bits & Bit.WDE != 0, !(bits & Bit.WDIE != 0 && bits & Bit.WDIF == 0) {
      asksForReset = true
    } else {
      bits |= Bit.WDIF
    }
    schedule(at: cycle, rate)
  }

  /// Called when the CPU enters the interrupt. In interrupt and system reset mode, the next
  /// time-out resets the chip.
  mutating func acknowledge() {
    bits &= ~Bit.WDIF
    if bits & Bit.WDE != 0 { bits &= ~Bit.WDIE }
  }

  private mutating func schedule(at cycle: UInt64, _ rate: ClockRate) {
    guard bits & (Bit.WDE | Bit.WDIE) != 0 else {
      start = nil
      timeOut = .max
      return
    }
    let origin = min(start ?? cycle, cycle)
    start = origin
    // The counter keeps running, so a shorter period ends at its own next multiple.
    let period = period(rate)
    timeOut = origin + ((cycle - origin) / period + 1) * period
  }
}

extension Watchdog: Peripheral {
  enum Register: UInt8, CaseIterable {
    case WDTCSR = 0x60
  }

  static let owner = Peripherals.Owner.watchdog
  static let vectors: UInt32 = 1 << 6

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .WDTCSR: chip.watchdog.WDTCSR
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .WDTCSR: chip.watchdog.write(WDTCSR: value, at: cycle, chip.rate)
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.watchdog.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    chip.watchdog.advance(to: cycle, chip.rate)
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 {
    chip.watchdog.isInterrupting ? vectors : 0
  }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    chip.watchdog.acknowledge()
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.watchdog = Watchdog()
    chip.watchdog.set(isForced: chip.system.isWatchdogReset, at: cycle, chip.rate)
  }
}

extension Peripherals {
  mutating func resetWatchdog(at cycle: UInt64) {
    advance(to: cycle)
    watchdog.restart(at: cycle, rate)
    update(Watchdog.self)
  }

  /// Returns the reset that a time-out in system reset mode has requested, and clears the request.
  mutating func takePendingReset() -> ResetCause? {
    guard watchdog.asksForReset else { return nil }
    watchdog.asksForReset = false
    return .watchdog
  }
}
