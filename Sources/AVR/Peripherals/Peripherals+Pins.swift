// The ports' pins: what comes in from outside, and what follows from a change of level.
extension Peripherals {
  /// A start bit begins on RXD.
  mutating func startBit(at cycle: UInt64) {
    advance(to: cycle)
    if let lost = usart.startBit(isAsleep: asleepSince != nil) {
      put(.overrun(lost), at: cycle)
    }
  }

  /// A frame has been received whole on RXD: the end of its stop bit.
  mutating func receive(_ byte: UInt8, framingError: Bool, at cycle: UInt64) {
    advance(to: cycle)
    guard asleepSince == nil else { return }
    if let lost = usart.receive(byte, framingError: framingError) { put(.overrun(lost), at: cycle) }
    updateUSART()
    nextEvent = deadlines.earliest
  }

  /// Whether USART0's receiver is on.
  var isReceiving: Bool { usart.isReceiverOn }

  /// USART0's speed in bits a second, rounded; nil while receiver and transmitter are off.
  var usartBaud: Int? {
    guard usart.isReceiverOn || usart.isTransmitterOn else { return nil }
    let bit = Int(usart.bitCycles)
    return (Self.clockFrequency + bit / 2) / bit
  }

  /// A level is put on a pin from outside; nil: nothing drives it (it reads high with its pull-up, else low).
  mutating func drive(_ pin: Pin, _ isHigh: Bool?, at cycle: UInt64) {
    advance(to: cycle)
    change(pin.port, at: cycle) { $0.drive(pin.bit, isHigh) }
    nextEvent = deadlines.earliest
  }

  /// The level a pin drives, or has from outside.
  func level(of pin: Pin) -> Bool { port(pin.port).levels & (1 << pin.bit) != 0 }

  func port(_ port: Pin.Port) -> Port {
    switch port {
    case .B: portB
    case .C: portC
    case .D: portD
    }
  }

  /// Changes a port, and does what follows if that changes its pins.
  mutating func change(_ port: Pin.Port, at cycle: UInt64, _ body: (inout Port) -> Void) {
    let before = self.port(port)
    var after = before
    body(&after)
    switch port {
    case .B: portB = after
    case .C: portC = after
    case .D: portD = after
    }
    if after.settles != before.settles { updateSettling() }
    var drives = before.driven ^ after.driven
    while drives != 0 {
      let bit = UInt8(drives.trailingZeroBitCount)
      drives &= drives - 1
      put(.pin(Pin(port, bit), isHigh: after.driven & (1 << bit) != 0), at: cycle)
    }
    guard before.levels != after.levels else { return }
    external.levelsChanged(of: port, from: before.levels, to: after.levels)
    setPending(external.interrupts, of: Vectors.external)
    // ICP1 is PB0.
    if port == .B, (before.levels ^ after.levels) & 1 != 0 {
      timer1.capture(isRising: after.levels & 1 != 0, at: cycle)
      timer1Counted()
    }
  }

  mutating func settlePorts(at cycle: UInt64) {
    if portB.settles <= cycle { portB.settle() }
    if portC.settles <= cycle { portC.settle() }
    if portD.settles <= cycle { portD.settle() }
    updateSettling()
  }

  mutating func updateSettling() {
    deadlines.ports = min(portB.settles, min(portC.settles, portD.settles))
  }

  /// The receiver makes PD0 an input; the transmitter drives PD1, high between frames. Its bits are not put on it.
  mutating func updateUSARTPins(at cycle: UInt64) {
    let inputs: UInt8 = usart.isReceiverOn ? 0b01 : 0
    let out: UInt8 = usart.isTransmitterOn ? 0b10 : 0
    change(.D, at: cycle) { $0.force(out: out, in: inputs) }
  }
}
