/// Ports B, C and D (data sheet, "I/O-Ports").
struct Ports: Hashable, Sendable, Codable {
  var B = Port()
  var C = Port()
  var D = Port()

  subscript(port: Pin.Port) -> Port {
    @inline(__always) get {
      switch port {
      case .B: B
      case .C: C
      case .D: D
      }
    }
    @inline(__always) set {
      switch port {
      case .B: B = newValue
      case .C: C = newValue
      case .D: D = newValue
      }
    }
  }
}

extension Ports: Peripheral {
  enum Register: UInt8, CaseIterable {
    case PINB = 0x23, DDRB, PORTB, PINC, DDRC, PORTC, PIND, DDRD, PORTD
  }

  static let owner = Peripherals.Owner.ports
  /// There is no PC7.
  private static let bitsOfC: UInt8 = 0x7F

  /// While a timer switches a pin too fast to be followed, reading that port has an effect: it
  /// brings the level up to date.
  @inline(__always)
  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .PINB: chip.ports.B.quiet == 0 ? chip.ports.B.PIN : nil
    case .DDRB: chip.ports.B.DDR
    case .PORTB: chip.ports.B.PORT
    case .PINC: chip.ports.C.PIN
    case .DDRC: chip.ports.C.DDR
    case .PORTC: chip.ports.C.PORT
    case .PIND: chip.ports.D.quiet == 0 ? chip.ports.D.PIN : nil
    case .DDRD: chip.ports.D.DDR
    case .PORTD: chip.ports.D.PORT
    }
  }

  @inline(__always)
  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8 {
    if register == .PIND { chip.hasReadPIND = true }
    if let value = peek(register, chip, at: cycle) { return value }
    chip.settleQuietOutputs(at: cycle)
    return register == .PINB ? chip.ports.B.PIN : chip.ports.D.PIN
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .PINB: chip.change(.B, at: cycle) { $0.toggle(value, at: cycle) }
    case .DDRB:
      chip.change(.B, at: cycle) { $0.write(DDR: value, at: cycle) }
      chip.changeOutputs(at: cycle)
      chip.reportWaveforms(at: cycle)
    case .PORTB: chip.change(.B, at: cycle) { $0.write(PORT: value, at: cycle) }
    case .PINC: chip.change(.C, at: cycle) { $0.toggle(value & bitsOfC, at: cycle) }
    case .DDRC: chip.change(.C, at: cycle) { $0.write(DDR: value & bitsOfC, at: cycle) }
    case .PORTC: chip.change(.C, at: cycle) { $0.write(PORT: value & bitsOfC, at: cycle) }
    case .PIND: chip.change(.D, at: cycle) { $0.toggle(value, at: cycle) }
    case .DDRD:
      chip.change(.D, at: cycle) { $0.write(DDR: value, at: cycle) }
      chip.changeOutputs(at: cycle)
      chip.reportWaveforms(at: cycle)
    case .PORTD: chip.change(.D, at: cycle) { $0.write(PORT: value, at: cycle) }
    }
  }

  /// Writing 1 to PINx toggles, so SBI and CBI write 0 to its other bits.
  static func kept(in register: Register, _ chip: Peripherals) -> UInt8? {
    switch register {
    case .PINB, .PINC, .PIND: 0
    case .DDRB, .PORTB, .DDRC, .PORTC, .DDRD, .PORTD: nil
    }
  }

  /// The next deadline of the synchronizers.
  static func deadline(_ chip: Peripherals) -> UInt64 {
    min(chip.ports.B.settles, min(chip.ports.C.settles, chip.ports.D.settles))
  }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    if chip.ports.B.settles <= cycle { chip.ports.B.settle() }
    if chip.ports.C.settles <= cycle { chip.ports.C.settle() }
    if chip.ports.D.settles <= cycle { chip.ports.D.settle() }
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.outputs.B = TimerOutputs.Override()
    chip.outputs.D = TimerOutputs.Override()
    for port in Pin.Port.allCases { chip.change(port, at: cycle) { $0.reset() } }
  }
}

extension Peripherals {
  /// Applies an external level to a pin; nil disconnects it, so that it reads high with its pull-up
  /// and low without.
  mutating func drive(_ pin: Pin, _ isHigh: Bool?, at cycle: UInt64) {
    advance(to: cycle)
    analog[pin] = nil
    change(pin.port, at: cycle, isInput: true) { $0.drive(pin.bit, isHigh, at: cycle) }
    compareVoltages(at: cycle)
  }

  /// Reports the levels of the watched wires that have changed.
  private mutating func reportWires(
    _ port: Pin.Port, _ before: Port, _ after: Port, at cycle: UInt64
  ) {
    let (always, driven) = watch.wires(port)
    func levels(_ state: Port) -> UInt8 {
      state.levels & ~state.quiet & (always | driven & state.wereOutputs)
    }
    let now = levels(after)
    var changed = levels(before) ^ now
    while changed != 0 {
      let bit = UInt8(changed.trailingZeroBitCount)
      changed &= changed - 1
      put(.wire(Pin(port, bit), isHigh: now & (1 << bit) != 0), at: cycle)
    }
  }

  /// The level that a pin drives or receives.
  func level(of pin: Pin) -> Bool { ports[pin.port].levels & (1 << pin.bit) != 0 }

  /// Changes a port, and handles the consequences if its pins change. A change that comes from
  /// outside is an input and is not reported.
  mutating func change(
    _ port: Pin.Port, at cycle: UInt64, isInput: Bool = false, _ body: (inout Port) -> Void
  ) {
    let before = ports[port]
    var after = before
    body(&after)
    ports[port] = after
    if after.settles != before.settles { update(Ports.self) }
    var shown = before.shown ^ after.shown
    while shown != 0 {
      let bit = UInt8(shown.trailingZeroBitCount)
      shown &= shown - 1
      if after.outputs & (1 << bit) == 0 { put(.released(Pin(port, bit)), at: cycle) }
      put(.pin(Pin(port, bit), isHigh: after.shown & (1 << bit) != 0), at: cycle)
    }
    if !isInput, watch.hasWires { reportWires(port, before, after, at: cycle) }
    guard before.levels != after.levels else { return }
    let hadFlag = external.hasFlag0
    external.levelsChanged(of: port, from: before.levels, to: after.levels)
    update(ExternalInterrupts.self)
    let changed = before.levels ^ after.levels
    switch port {
    case .B:
      // ICP1 is PB0.
      if changed & 1 != 0 { changeCapturePin(isHigh: after.levels & 1 != 0, at: cycle) }
    case .C:
      if comparator.usesChannels { compareVoltages(at: cycle) }
    case .D:
      // T0 is PD4, T1 is PD5, AIN0 is PD6, AIN1 is PD7.
      if changed & 0x10 != 0 { Timer0.clock(&self, isRising: after.levels & 0x10 != 0, at: cycle) }
      if changed & 0x20 != 0 { Timer1.clock(&self, isRising: after.levels & 0x20 != 0, at: cycle) }
      if changed & 0xC0 != 0 { compareVoltages(at: cycle) }
      if external.hasFlag0, !hadFlag { trigger(.interrupt0, at: cycle) }
    }
    let told = changed & parts.watched[port]
    if told != 0 { tellLevels(told, of: port, after.levels, at: cycle) }
  }
}

/// One of the ports B, C and D (data sheet, "I/O-Ports"): eight pins, one bit each.
struct Port: Hashable, Sendable, Codable {
  // The saved properties.
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
  private(set) var levels: UInt8 = 0
  /// Pins that a timer switches too fast to be followed. They are shown as low.
  var quiet: UInt8 = 0
  /// Pins that have been outputs since the last reset.
  private(set) var wereOutputs: UInt8 = 0
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

  /// `cycle` is when the change is made by the program or from outside; nil if it has another
  /// cause.
  private mutating func update(at cycle: UInt64? = nil) {
    let out = outputs
    wereOutputs |= out
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
