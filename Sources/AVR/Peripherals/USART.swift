/// USART0 in its asynchronous modes, 5 to 9 data bits (data sheet, "USART0").
///
/// Received frames wait in a two-frame FIFO; the shift register can hold a third. If a start bit
/// begins while it does, the third frame is lost, and the frame after the gap has DOR set. A byte
/// is sent at once if the transmitter is idle, otherwise immediately after the previous one. A byte
/// that is written while the transmitter is off is sent when it is switched on. Of several such
/// bytes the last is sent, as measured on an Uno (simavr, pull request 408).
struct USART: Hashable, Sendable, Codable {
  enum A {
    static let RXC: UInt8 = 0x80
    static let TXC: UInt8 = 0x40
    static let UDRE: UInt8 = 0x20
    static let FE: UInt8 = 0x10
    static let DOR: UInt8 = 0x08
    static let UPE: UInt8 = 0x04
    static let U2X: UInt8 = 0x02
    static let MPCM: UInt8 = 0x01
  }
  enum B {
    static let RXCIE: UInt8 = 0x80
    static let TXCIE: UInt8 = 0x40
    static let UDRIE: UInt8 = 0x20
    static let RXEN: UInt8 = 0x10
    static let TXEN: UInt8 = 0x08
    static let UCSZ2: UInt8 = 0x04
    static let RXB8: UInt8 = 0x02
    static let TXB8: UInt8 = 0x01
  }
  enum C {
    static let UPM1: UInt8 = 0x20
    static let UPM0: UInt8 = 0x10
    static let USBS: UInt8 = 0x08
  }
  /// A received frame: its data, with FE, DOR and UPE at their positions in UCSR0A, and RXB8 at its
  /// position in UCSR0B.
  private struct Frame: Hashable, Sendable, Codable {
    var data: UInt8
    var flags: UInt8
  }
  private enum ReceiverState: String, Hashable, Sendable, Codable {
    case idle
    case inFrame
    /// The current frame began while the receiver was off.
    case ignoring
    /// The current frame began while the clock was stopped.
    case stopped
  }

  private(set) var UCSRB: UInt8 = 0
  private(set) var UCSRC: UInt8 = 0b0000_0110
  private(set) var UBRR: UInt16 = 0
  private var isDoubleSpeed = false
  private var isMultiProcessor = false
  // The FIFO, oldest first, followed by the frame in the shift register.
  private var first: Frame?
  private var second: Frame?
  private var waiting: Frame?
  private var hasLost = false
  private var reception = ReceiverState.idle
  private var transmitBuffer: UInt8?
  /// TXB8 when `transmitBuffer` was written.
  private var transmitNinth = false
  fileprivate var isTransmitComplete = false
  /// The end of the last stop bit of the frame being sent; `.max` if idle.
  private(set) var deadline: UInt64 = .max

  // MARK: Settings

  var isReceiverOn: Bool { UCSRB & B.RXEN != 0 }
  /// The transmitter keeps its pin until everything has been sent.
  var isTransmitterOn: Bool { UCSRB & B.TXEN != 0 || deadline != .max }

  /// The duration of a bit in clock cycles, for both directions.
  var bitCycles: UInt64 { (isDoubleSpeed ? 8 : 16) * (UInt64(UBRR) + 1) }

  /// The format of frames in both directions.
  var format: FrameFormat {
    FrameFormat(
      dataBits: dataBits,
      parity: UCSRC & C.UPM1 == 0 ? nil : UCSRC & C.UPM0 == 0 ? .even : .odd,
      hasTwoStopBits: UCSRC & C.USBS != 0)
  }

  /// Whether the receiver takes eight samples a bit, and not 16.
  var samplesFast: Bool { isDoubleSpeed }

  /// The settings 4 to 6 are reserved; they count as 8 bits.
  private var dataBits: UInt8 {
    let size = UCSRC >> 1 & 0b11
    guard UCSRB & B.UCSZ2 != 0 else { return 5 + size }
    return size == 0b11 ? 9 : 8
  }

  var UCSRA: UInt8 {
    var value: UInt8 = (isDoubleSpeed ? A.U2X : 0) | (isMultiProcessor ? A.MPCM : 0)
    if let first { value |= A.RXC | first.flags & ~B.RXB8 }
    if isTransmitComplete { value |= A.TXC }
    if hasRoom { value |= A.UDRE }
    return value
  }

  /// UCSRB as it is read: with the ninth bit of the byte that UDR0 reads next.
  var readUCSRB: UInt8 { UCSRB | (first?.flags ?? 0) & B.RXB8 }

  /// Whether UDR0 can be written. While the transmitter is off, a byte only replaces the last one.
  private var hasRoom: Bool { transmitBuffer == nil || deadline == .max }

  mutating func write(UCSRA value: UInt8) {
    isDoubleSpeed = value & A.U2X != 0
    isMultiProcessor = value & A.MPCM != 0
    if value & A.TXC != 0 { isTransmitComplete = false }
  }

  /// Disabling the receiver discards what it holds; the transmitter first sends what it holds.
  /// Returns what begins to be sent now, if anything.
  mutating func write(UCSRB value: UInt8, at cycle: UInt64) -> ChipEvent? {
    UCSRB = value & ~B.RXB8
    if !isReceiverOn {
      first = nil
      second = nil
      waiting = nil
      hasLost = false
      if reception == .inFrame { reception = .ignoring }
    }
    return UCSRB & B.TXEN != 0 && deadline == .max ? sendBuffer(at: cycle) : nil
  }

  mutating func write(UCSRC value: UInt8) { UCSRC = value }

  // Writing the low byte restarts the baud rate generator; a frame being sent keeps its timing.
  mutating func write(UBRRL value: UInt8) { UBRR = UBRR & 0x0F00 | UInt16(value) }
  mutating func write(UBRRH value: UInt8) { UBRR = UInt16(value & 0x0F) << 8 | UBRR & 0xFF }

  // MARK: Sending

  /// Writes UDR0. Returns what begins to be sent now, if anything.
  mutating func write(UDR value: UInt8, at cycle: UInt64) -> ChipEvent? {
    guard hasRoom else { return nil }
    transmitBuffer = value
    transmitNinth = UCSRB & B.TXB8 != 0
    return UCSRB & B.TXEN != 0 && deadline == .max ? sendBuffer(at: cycle) : nil
  }

  /// Ends the frame at `deadline`. Returns what begins to be sent next, if anything.
  mutating func finishFrame() -> ChipEvent? {
    let cycle = deadline
    deadline = .max
    if transmitBuffer == nil { isTransmitComplete = true }
    return sendBuffer(at: cycle)
  }

  private mutating func sendBuffer(at cycle: UInt64) -> ChipEvent? {
    guard let value = transmitBuffer else { return nil }
    let frame = SentFrame(value, ninth: transmitNinth, in: format)
    transmitBuffer = nil
    transmitNinth = false
    deadline = cycle + UInt64(frame.bitCount) * bitCycles
    return .transmit(value & format.mask, format == .standard ? nil : frame)
  }

  /// Delays the current frame: the clock was stopped for this many cycles.
  mutating func pause(for cycles: UInt64) {
    if deadline != .max { deadline &+= cycles }
  }

  // MARK: Receiving

  /// Begins a frame. Returns the byte that is lost because of it, if any.
  mutating func startBit(isAsleep: Bool) -> UInt8? {
    guard isReceiverOn, !isAsleep else {
      reception = isReceiverOn ? .stopped : .ignoring
      return nil
    }
    reception = .inFrame
    return loseWaiting()
  }

  /// Receives a complete frame. Returns the byte lost because of it if `startBit` was not called
  /// before.
  mutating func receive(_ frame: ReceivedFrame) -> UInt8? {
    defer { reception = .idle }
    guard takesFrame, !ignores(frame) else { return nil }
    let lost = loseWaiting()
    var flags: UInt8 = 0
    if frame.hasFramingError { flags |= A.FE }
    if frame.hasParityError, UCSRC & C.UPM1 != 0 { flags |= A.UPE }
    if frame.ninthBit, dataBits == 9 { flags |= B.RXB8 }
    waiting = Frame(data: frame.data & format.mask, flags: flags)
    fill()
    return lost
  }

  /// Whether it ignores a frame that it could receive. In multi-processor mode only addresses are
  /// received: their ninth bit is set, or their first stop bit if there are fewer data bits.
  func ignores(_ frame: ReceivedFrame) -> Bool {
    isMultiProcessor && !(dataBits == 9 ? frame.ninthBit : !frame.hasFramingError)
  }

  /// Whether it receives the frame on the line: its receiver was on when the frame began.
  var takesFrame: Bool { isReceiverOn && reception != .ignoring && reception != .stopped }

  /// Whether it does not receive the frame on the line because its clock was stopped.
  var wasStopped: Bool { isReceiverOn && reception == .stopped }

  /// The number of received frames that have not been read.
  var unreadCount: Int { [first, second, waiting].count { $0 != nil } }

  /// Whether the parity of the frame that UDR0 reads next is wrong.
  var hasParityError: Bool { first.map { $0.flags & A.UPE != 0 } ?? false }

  private mutating func loseWaiting() -> UInt8? {
    guard let lost = waiting else { return nil }
    waiting = nil
    hasLost = true
    return lost.data
  }

  /// Moves the waiting frame into the FIFO if there is room.
  private mutating func fill() {
    guard var frame = waiting, second == nil else { return }
    if hasLost { frame.flags |= A.DOR }
    hasLost = false
    waiting = nil
    if first == nil { first = frame } else { second = frame }
  }

  /// Reads UDR0. Returns the oldest byte; nil if the FIFO is empty.
  mutating func readUDR() -> UInt8? {
    guard let frame = first else { return nil }
    first = second
    second = nil
    fill()
    return frame.data
  }

  // MARK: Interrupts

  /// One bit for each vector number. 18 (RXC) and 19 (UDRE) persist as long as their cause does; 20
  /// (TXC) is cleared when it is entered.
  var interrupts: UInt32 {
    var bits: UInt32 = 0
    if UCSRB & B.RXCIE != 0, first != nil { bits |= 1 << 18 }
    if UCSRB & B.UDRIE != 0, hasRoom { bits |= 1 << 19 }
    if UCSRB & B.TXCIE != 0, isTransmitComplete { bits |= 1 << 20 }
    return bits
  }
}

extension USART: Peripheral {
  enum Register: UInt8, CaseIterable {
    case UCSR0A = 0xC0, UCSR0B, UCSR0C
    case UBRR0L = 0xC4, UBRR0H, UDR0
  }

  static let owner = Peripherals.Owner.usart
  static let vectors: UInt32 = 0b111 << 18

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .UCSR0A: chip.usart.UCSRA
    case .UCSR0B: chip.usart.readUCSRB
    case .UCSR0C: chip.usart.UCSRC
    case .UBRR0L: UInt8(truncatingIfNeeded: chip.usart.UBRR)
    case .UBRR0H: UInt8(chip.usart.UBRR >> 8)
    case .UDR0: nil
    }
  }

  /// UDR0 reads 0 if nothing has been received.
  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8 {
    if let value = peek(register, chip, at: cycle) { return value }
    guard let byte = chip.usart.readUDR() else { return 0 }
    chip.put(.received(byte, readAt: pc), at: cycle)
    chip.update(USART.self)
    return byte
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    switch register {
    case .UCSR0A:
      chip.usart.write(UCSRA: value)
    case .UCSR0B:
      let event = chip.usart.write(UCSRB: value, at: cycle)
      chip.updateUSARTPins(at: cycle)
      if let event { chip.put(event, at: cycle) }
    case .UCSR0C:
      if value & 0xC0 != 0 { chip.notice("UMSEL0", at: cycle, pc: pc) }
      chip.usart.write(UCSRC: value)
    case .UBRR0L: chip.usart.write(UBRRL: value)
    case .UBRR0H: chip.usart.write(UBRRH: value)
    case .UDR0:
      if let event = chip.usart.write(UDR: value, at: cycle) { chip.put(event, at: cycle) }
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 {
    chip.asleepSince == nil ? chip.usart.deadline : .max
  }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    if let event = chip.usart.finishFrame() { chip.put(event, at: cycle) }
    chip.updateUSARTPins(at: cycle)
  }

  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {
    chip.usart.pause(for: cycles)
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 { chip.usart.interrupts }

  /// Vectors 18 and 19 persist until their cause is gone.
  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    if vector == 20 { chip.usart.isTransmitComplete = false }
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) { chip.usart = USART() }
}

extension Peripherals {
  /// Signals that a start bit begins on RXD.
  mutating func startBit(at cycle: UInt64) {
    advance(to: cycle)
    if let lost = usart.startBit(isAsleep: asleepSince != nil) {
      put(.overrun(lost), at: cycle)
    }
  }

  /// Delivers a complete frame at the end of its stop bit.
  mutating func receive(_ frame: ReceivedFrame, at cycle: UInt64) {
    advance(to: cycle)
    guard asleepSince == nil else { return }
    if let lost = usart.receive(frame) { put(.overrun(lost), at: cycle) }
    update(USART.self)
  }

  /// Whether USART0 receives the frame on the line.
  var takesFrame: Bool { usart.takesFrame && asleepSince == nil }

  /// Whether USART0 does not receive the frame on the line because its clock is or was stopped.
  var hasStoppedFrame: Bool { usart.isReceiverOn && asleepSince != nil || usart.wasStopped }

  /// USART0's speed in bits a second, rounded; nil while receiver and transmitter are off.
  var usartBaud: Int? {
    guard usart.isReceiverOn || usart.isTransmitterOn else { return nil }
    let bit = Int(usart.bitCycles)
    return (Int(rate.hertz) + bit / 2) / bit
  }

  /// Updates the pins: the receiver makes PD0 an input; the transmitter drives PD1 high between
  /// frames. The bits of a frame are not put on the pin.
  mutating func updateUSARTPins(at cycle: UInt64) {
    let inputs: UInt8 = usart.isReceiverOn ? 0b01 : 0
    let out: UInt8 = usart.isTransmitterOn ? 0b10 : 0
    change(.D, at: cycle) { $0.force(out: out, in: inputs) }
  }
}
