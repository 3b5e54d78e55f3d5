/// One of the ports B, C and D (data sheet, "I/O-Ports"): eight pins, a bit each.
struct Port: Hashable, Sendable, Saved {
  private(set) var PORT: UInt8 = 0
  private(set) var DDR: UInt8 = 0
  /// Pins whose output a peripheral has taken over, and the levels it gives them; DDR must be out
  /// too.
  private var overridden: UInt8 = 0
  private var overridingLevels: UInt8 = 0
  /// Pins whose direction a peripheral has taken over (USART0's), whatever DDR says.
  private var forcedOut: UInt8 = 0
  private var forcedIn: UInt8 = 0
  /// Pins with a level from outside, and the levels.
  private var external: UInt8 = 0
  private var externalLevels: UInt8 = 0
  private var hasPullUps = true
  /// Pins that drive high.
  private(set) var driven: UInt8 = 0
  /// What stands on the pins.
  private(set) var levels: UInt8 = 0
  /// What PINx shows until the synchronizer has passed on what the program wrote last.
  private var earlierLevels: UInt8 = 0
  /// The cycle from which on PINx shows `levels`; `.max`: it does.
  private(set) var settles: UInt64 = .max

  /// PINx: a level that the program put on a pin shows one cycle after the instruction.
  var PIN: UInt8 { settles == .max ? levels : earlierLevels }

  mutating func write(PORT value: UInt8, at cycle: UInt64) {
    PORT = value
    update(at: cycle)
  }

  mutating func write(DDR value: UInt8, at cycle: UInt64) {
    DDR = value
    update(at: cycle)
  }

  /// Ones written to PINx toggle PORTx.
  mutating func toggle(_ bits: UInt8, at cycle: UInt64) {
    write(PORT: PORT ^ bits, at: cycle)
  }

  /// MCUCR's PUD switches the pull-ups of all ports off.
  mutating func set(hasPullUps: Bool) {
    self.hasPullUps = hasPullUps
    update()
  }

  /// A peripheral takes output pins over, or lets them go; what it gives them is seen at once.
  mutating func override(_ pins: UInt8, levels: UInt8) {
    overridden = pins
    overridingLevels = levels
    update()
  }

  mutating func force(out: UInt8, in inputs: UInt8) {
    forcedOut = out
    forcedIn = inputs
    update()
  }

  /// A level from outside; nil: none.
  mutating func drive(_ bit: UInt8, _ isHigh: Bool?) {
    let mask: UInt8 = 1 << bit
    external &= ~mask
    externalLevels &= ~mask
    if let isHigh {
      external |= mask
      if isHigh { externalLevels |= mask }
    }
    update()
  }

  /// The synchronizer has passed the levels on.
  mutating func settle() { settles = .max }

  /// Everything but what comes from outside gets its initial value.
  mutating func reset() {
    var port = Port()
    port.external = external
    port.externalLevels = externalLevels
    port.update()
    self = port
  }

  /// Whether a port can be like this: one that was read from a file may not.
  func isPossible(at cycle: UInt64) -> Bool {
    settles == .max || (settles > cycle && settles <= cycle + 2)
  }

  /// `cycle` is the writing instruction's, where it is one.
  private mutating func update(at cycle: UInt64? = nil) {
    let out = (DDR | forcedOut) & ~forcedIn
    driven = out & (overridden & overridingLevels | forcedOut | PORT & ~(overridden | forcedOut))
    let pulledUp = hasPullUps ? PORT & ~out & ~external : 0
    let now = driven | ~out & external & externalLevels | pulledUp
    guard now != levels else { return }
    if let cycle {
      if settles == .max || settles <= cycle + 1 { earlierLevels = levels }
      settles = cycle + 2
    } else if settles != .max {
      // Seen at once, beside what the program wrote just before.
      earlierLevels ^= now ^ levels
    }
    levels = now
  }
}
