/// The prescaler that Timers 0 and 1 share, that of Timer 2, and GTCCR, which resets or holds them
/// (data sheet, "Timer/Counter0 and Timer/Counter1 Prescalers").
struct Prescalers: Hashable, Sendable, Codable {
  private enum Bit {
    static let TSM: UInt8 = 0x80
    static let PSRASY: UInt8 = 0x02
    static let PSRSYNC: UInt8 = 0x01
  }

  var synchronous: Prescaler
  var asynchronous: Prescaler
  /// 0 unless TSM is set: the other bits clear themselves.
  private(set) var GTCCR: UInt8 = 0

  init(at cycle: UInt64) {
    synchronous = Prescaler(at: cycle)
    asynchronous = Prescaler(at: cycle)
  }
}

extension Prescalers: Peripheral {
  enum Register: UInt8, CaseIterable {
    case GTCCR = 0x43
  }

  static let owner = Peripherals.Owner.prescalers

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .GTCCR: chip.prescalers.GTCCR
    }
  }

  /// PSRSYNC and PSRASY reset a prescaler. With TSM they hold it, and its timers, until TSM is
  /// cleared.
  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .GTCCR:
      let resets = value | chip.prescalers.GTCCR
      chip.synchronizeTimers(to: cycle)
      if resets & Bit.PSRSYNC != 0 { chip.prescalers.synchronous.reset(at: cycle) }
      if resets & Bit.PSRASY != 0 { chip.prescalers.asynchronous.reset(at: cycle) }
      let held = value & Bit.TSM == 0 ? 0 : value & (Bit.TSM | Bit.PSRASY | Bit.PSRSYNC)
      chip.prescalers.GTCCR = held
      chip.hold(
        .synchronization, timer0: held & Bit.PSRSYNC != 0, timer1: held & Bit.PSRSYNC != 0,
        timer2: held & Bit.PSRASY != 0, at: cycle)
    }
  }

  /// Called before the timers' own `startClock`, since they continue from their prescaler's phase.
  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {
    chip.prescalers.synchronous.pause(for: cycles)
    chip.prescalers.asynchronous.pause(for: cycles)
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.prescalers = Prescalers(at: cycle)
  }
}

extension Peripherals {
  mutating func synchronizeTimers(to cycle: UInt64) {
    timer0.counter.synchronize(to: cycle)
    timer1.counter.synchronize(to: cycle)
    timer2.counter.synchronize(to: cycle)
  }

  /// Stops or restarts the timers, which must be synchronized.
  mutating func hold(
    _ hold: TimerCounter.Hold, timer0 holds0: Bool, timer1 holds1: Bool, timer2 holds2: Bool,
    at cycle: UInt64
  ) {
    timer0.counter.hold(hold, holds0, at: cycle, prescaler: prescalers.synchronous)
    timer1.counter.hold(hold, holds1, at: cycle, prescaler: prescalers.synchronous)
    timer2.counter.hold(hold, holds2, at: cycle, prescaler: prescalers.asynchronous)
    update(Timer0.self)
    update(Timer1.self)
    update(Timer2.self)
    changeOutputs(at: cycle)
  }
}

/// A free-running ten-bit counter, of which a timer's clock is one bit. Timers 0 and 1 share one
/// and Timer 2 has its own. Selecting another bit does not reset it; only GTCCR does.
struct Prescaler: Hashable, Sendable, Codable {
  /// The cycle at which the counter was 0.
  private var zero: UInt64

  init(at cycle: UInt64) { zero = cycle }

  mutating func reset(at cycle: UInt64) { zero = cycle }

  /// Shifts the phase: the counter was stopped for this many cycles.
  mutating func pause(for cycles: UInt64) { zero &+= cycles }

  /// The last edge at or before `cycle` of the clock divided by 2^`shift`.
  func lastEdge(before cycle: UInt64, shift: UInt8) -> UInt64 {
    cycle &- ((cycle &- zero) & ((1 << UInt64(shift)) - 1))
  }

  /// The divisor selected by Timer 0's or Timer 1's clock select bits, as a power of two; nil if
  /// the clock is stopped or external.
  static func synchronous(_ clockSelect: UInt8) -> UInt8? {
    switch clockSelect & 0b111 {
    case 1: 0
    case 2: 3
    case 3: 6
    case 4: 8
    case 5: 10
    default: nil
    }
  }

  /// The divisor selected by Timer 2's clock select bits, as a power of two; nil if the clock is
  /// stopped.
  static func asynchronous(_ clockSelect: UInt8) -> UInt8? {
    switch clockSelect & 0b111 {
    case 1: 0
    case 2: 3
    case 3: 5
    case 4: 6
    case 5: 7
    case 6: 8
    case 7: 10
    default: nil
    }
  }
}
