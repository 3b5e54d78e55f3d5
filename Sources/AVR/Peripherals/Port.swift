/// One of the ports B, C and D (data sheet, "I/O-Ports"): eight pins, one bit each.
struct Port: Hashable, Sendable, Saved {
  // The saved properties.
  private enum CodingKeys: SavedKey {
    case PORT, DDR, overridden, overridingLevels, forcedOut, forcedIn, external, externalLevels
    case hasPullUps, driven, levels, earlierLevels, settles, earlierOutputs
  }

  private(set) var PORT: UInt8 = 0
  private(set) var DDR: UInt8 = 0
  /// Pins whose output a peripheral overrides, followed by the levels. DDR must be set to output as
  /// well.
  private var overridden: UInt8 = 0
  private var overridingLevels: UInt8 = 0
  /// Pins whose direction a peripheral forces (USART0's), regardless of DDR.
  private var forcedOut: UInt8 = 0
  private var forcedIn: UInt8 = 0
  /// Pins with an external level, followed by the levels.
  private var external: UInt8 = 0
  private var externalLevels: UInt8 = 0
  private var hasPullUps = true
  /// Pins that drive high.
  private(set) var driven: UInt8 = 0
  /// The level of each pin.
  private(set) var levels: UInt8 = 0
  /// Pins that a timer switches too fast to be followed. They are shown as low.
  var quiet: UInt8 = 0
  /// Pins that have been outputs since the last reset.
  var wereOutputs: UInt8 { earlierOutputs ?? 0 }
  /// The same as it is saved: nil for none.
  private var earlierOutputs: UInt8?
  /// The pins that drive high, as they are reported.
  var shown: UInt8 { driven & ~quiet }
  /// What PINx reads until the synchronizer has passed on the last change.
  private var earlierLevels: UInt8 = 0
  /// The cycle at which PINx begins to read `levels`; `.max` if it already does.
  private(set) var settles: UInt64 = .max

  /// PINx. The synchronizer delays a level set by the program or from outside by one cycle. The
  /// data sheet gives half a cycle to one and a half.
  var PIN: UInt8 { settles == .max ? levels : earlierLevels }

  mutating func write(PORT value: UInt8, at cycle: UInt64) {
    PORT = value
    update(at: cycle)
  }

  mutating func write(DDR value: UInt8, at cycle: UInt64) {
    DDR = value
    update(at: cycle)
  }

  /// Writing 1 to a bit of PINx toggles PORTx.
  mutating func toggle(_ bits: UInt8, at cycle: UInt64) {
    write(PORT: PORT ^ bits, at: cycle)
  }

  /// PUD in MCUCR disables the pull-ups of all ports.
  mutating func set(hasPullUps: Bool) {
    self.hasPullUps = hasPullUps
    update()
  }

  /// Overrides these output pins and releases all others. PINx follows at once.
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

  /// The pins whose output drivers are on.
  var outputs: UInt8 { (DDR | forcedOut) & ~forcedIn }

  /// Applies an external level; nil disconnects the pin.
  mutating func drive(_ bit: UInt8, _ isHigh: Bool?, at cycle: UInt64) {
    let mask: UInt8 = 1 << bit
    external &= ~mask
    externalLevels &= ~mask
    if let isHigh {
      external |= mask
      if isHigh { externalLevels |= mask }
    }
    update(at: cycle)
  }

  /// Notes that the synchronizer has passed on the last change.
  mutating func settle() { settles = .max }

  /// Resets everything except the external levels.
  mutating func reset() {
    var port = Port()
    port.external = external
    port.externalLevels = externalLevels
    port.update()
    self = port
  }

  /// Whether the state is valid; one read from a file can be invalid.
  func isPossible(at cycle: UInt64) -> Bool {
    settles == .max || (settles > cycle && settles <= cycle + 1)
  }

  /// `cycle` is when the change is made by the program or from outside; nil if it has another
  /// cause.
  private mutating func update(at cycle: UInt64? = nil) {
    let out = outputs
    if out & ~wereOutputs != 0 { earlierOutputs = wereOutputs | out }
    driven = out & (overridden & overridingLevels | forcedOut | PORT & ~(overridden | forcedOut))
    let pulledUp = hasPullUps ? PORT & ~out & ~external : 0
    let now = driven | ~out & external & externalLevels | pulledUp
    guard now != levels else { return }
    if let cycle {
      if settles == .max { earlierLevels = levels }
      settles = cycle + 1
    } else if settles != .max {
      // Visible at once, together with what was set just before.
      earlierLevels ^= now ^ levels
    }
    levels = now
  }
}
