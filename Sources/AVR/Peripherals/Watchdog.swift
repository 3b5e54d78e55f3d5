/// The watchdog timer (data sheet, "System Control and Reset"). Its own oscillator is taken as
/// exactly 128 kHz, which is 125 of the Uno's clock cycles.
struct Watchdog: Hashable, Sendable, Saved {
  private enum Bit {
    static let WDIF: UInt8 = 0x80
    static let WDIE: UInt8 = 0x40
    static let WDCE: UInt8 = 0x10
    static let WDE: UInt8 = 0x08
    static let prescaler: UInt8 = 0b0010_0111
  }

  /// As written, with WDIF and WDCE as they stand.
  private var bits: UInt8 = 0
  /// MCUSR's WDRF: WDE is on whatever was written.
  private var isForced = false
  /// Since when it counts; nil: it is off.
  private var start: UInt64?
  private(set) var timeOut: UInt64 = .max
  /// When WDCE falls; `.max`: it is 0.
  private var windowEnd: UInt64 = .max
  /// A time-out in system reset mode.
  private(set) var asksForReset = false

  var WDTCSR: UInt8 { bits | (isForced ? Bit.WDE : 0) }
  var deadline: UInt64 { min(timeOut, windowEnd) }
  /// Vector 6.
  var isInterrupting: Bool { bits & (Bit.WDIF | Bit.WDIE) == Bit.WDIF | Bit.WDIE }

  /// In clock cycles: 2K to 1024K of the oscillator's. The reserved settings are taken as the
  /// longest.
  private var period: UInt64 {
    let exponent = min((bits >> 2) & 0b1000 | bits & 0b111, 9)
    return 2048 * 125 << UInt64(exponent)
  }

  /// Whether it can be like this: what was read from a file may not.
  func isPossible(at cycle: UInt64) -> Bool {
    guard windowEnd == .max || (windowEnd > cycle && windowEnd <= cycle + 5) else { return false }
    guard let start else { return timeOut == .max }
    return start <= cycle && timeOut > cycle && timeOut <= cycle + period
  }

  /// Whether it counts.
  var isRunning: Bool { start != nil }

  /// Within four cycles of a write with WDCE and WDE, anything can be changed; else WDE can only be
  /// set, and the prescaler stays.
  mutating func write(WDTCSR value: UInt8, at cycle: UInt64) {
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
    bits = next
    schedule(at: cycle)
  }

  mutating func set(isForced: Bool, at cycle: UInt64) {
    self.isForced = isForced
    schedule(at: cycle)
  }

  /// WDR.
  mutating func restart(at cycle: UInt64) {
    if start != nil { start = cycle }
    schedule(at: cycle)
  }

  /// Does what is due at `deadline`.
  mutating func advance(to cycle: UInt64) {
    if windowEnd <= cycle {
      windowEnd = .max
      bits &= ~Bit.WDCE
    }
    guard timeOut <= cycle else { return }
    if WDTCSR & Bit.WDE != 0, !(bits & Bit.WDIE != 0 && bits & Bit.WDIF == 0) {
      asksForReset = true
    } else {
      bits |= Bit.WDIF
    }
    schedule(at: cycle)
  }

  mutating func takeReset() -> Bool {
    defer { asksForReset = false }
    return asksForReset
  }

  /// The interrupt is entered: in the mode with system reset, the next time-out resets.
  mutating func acknowledge() {
    bits &= ~Bit.WDIF
    if WDTCSR & Bit.WDE != 0 { bits &= ~Bit.WDIE }
  }

  private mutating func schedule(at cycle: UInt64) {
    guard WDTCSR & (Bit.WDE | Bit.WDIE) != 0 else {
      start = nil
      timeOut = .max
      return
    }
    let origin = start ?? cycle
    start = origin
    // The counter runs on; a shorter period ends at its own next multiple.
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
    case .WDTCSR: chip.watchdog.write(WDTCSR: value, at: cycle)
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.watchdog.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    chip.watchdog.advance(to: cycle)
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 {
    chip.watchdog.isInterrupting ? vectors : 0
  }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    chip.watchdog.acknowledge()
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.watchdog = Watchdog()
    chip.watchdog.set(isForced: chip.system.isWatchdogReset, at: cycle)
  }

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.watchdog = chip.watchdog
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    chip.watchdog = snapshot.watchdog
    return chip.watchdog.isPossible(at: snapshot.settled)
  }
}

extension Peripherals {
  /// WDR.
  mutating func resetWatchdog(at cycle: UInt64) {
    advance(to: cycle)
    watchdog.restart(at: cycle)
    update(Watchdog.self)
  }

  /// The watchdog ran out in system reset mode: the CPU is to restart. Taking it clears it.
  mutating func takePendingReset() -> ResetCause? {
    watchdog.asksForReset && watchdog.takeReset() ? .watchdog : nil
  }

  /// Whether the watchdog runs, so that it may restart the chip, if nothing else does.
  var canRestart: Bool { watchdog.isRunning }
}
