/// Ports B, C and D (data sheet, "I/O-Ports").
struct Ports: Hashable, Sendable {
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

  static func save(_ chip: Peripherals, in snapshot: inout PeripheralsSnapshot) {
    snapshot.portB = chip.ports.B
    snapshot.portC = chip.ports.C
    snapshot.portD = chip.ports.D
  }

  static func restore(_ chip: inout Peripherals, from snapshot: PeripheralsSnapshot) -> Bool {
    chip.ports = Ports(B: snapshot.portB, C: snapshot.portC, D: snapshot.portD)
    return Pin.Port.allCases.allSatisfy { chip.ports[$0].isPossible(at: snapshot.settled) }
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
  }
}
