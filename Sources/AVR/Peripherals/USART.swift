/// USART0 in its asynchronous modes, 5 to 8 data bits (data sheet, "USART0").
///
/// Received frames wait in a FIFO of two behind the shift register, which can hold a third. If a start bit
/// begins while it does, the third is lost; the frame that follows the gap carries DOR. A byte is sent at
/// once when the transmitter is idle, else right behind the one before.
struct USART: Hashable, Sendable, Saved {
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
    static let TXB8: UInt8 = 0x01
  }
  /// A received frame: its data, and FE and DOR as they stand in UCSR0A.
  private struct Frame: Hashable, Sendable, Saved {
    var data: UInt8
    var flags: UInt8
  }
  private enum Reception: String, Hashable, Sendable, Saved {
    case idle
    case inFrame
    /// The frame on the line began while the receiver was off, or its clock stood still.
    case ignoring
  }

  private(set) var UCSRB: UInt8 = 0
  private(set) var UCSRC: UInt8 = 0b0000_0110
  private(set) var UBRR: UInt16 = 0
  private var isDoubleSpeed = false
  private var isMultiProcessor = false
  // The FIFO, oldest first, and what waits in the shift register behind it.
  private var first: Frame?
  private var second: Frame?
  private var waiting: Frame?
  private var hasLost = false
  private var reception = Reception.idle
  private var transmitBuffer: UInt8?
  private var isTransmitComplete = false
  /// The end of the last stop bit of the frame being sent; `.max`: idle.
  private(set) var deadline: UInt64 = .max

  /// Whether it can be like this: what was read from a file may not. `cycle` is the last at which its clock
  /// ran.
  func isPossible(at cycle: UInt64) -> Bool {
    // The longest frame has 12 bits of 65 536 cycles.
    deadline == .max ? transmitBuffer == nil : deadline > cycle && deadline <= cycle + 12 << 16
  }

  // MARK: Settings

  var isReceiverOn: Bool { UCSRB & B.RXEN != 0 }
  /// The transmitter keeps its pin until it has sent everything.
  var isTransmitterOn: Bool { UCSRB & B.TXEN != 0 || deadline != .max }

  /// In clock cycles, either way.
  var bitCycles: UInt64 { (isDoubleSpeed ? 8 : 16) * (UInt64(UBRR) + 1) }

  /// Start, data, parity and stop bits.
  private var frameBits: UInt64 {
    2 + UInt64(dataBits) + (UCSRC & 0x20 != 0 ? 1 : 0) + (UCSRC & 0x08 != 0 ? 1 : 0)
  }

  private var dataBits: UInt8 { 5 + (UCSRC >> 1) & 0b11 }
  private var dataMask: UInt8 { 0xFF >> (8 - dataBits) }

  var UCSRA: UInt8 {
    var value: UInt8 = (isDoubleSpeed ? A.U2X : 0) | (isMultiProcessor ? A.MPCM : 0)
    if let first { value |= A.RXC | first.flags }
    if isTransmitComplete { value |= A.TXC }
    if transmitBuffer == nil { value |= A.UDRE }
    return value
  }

  mutating func write(UCSRA value: UInt8) {
    isDoubleSpeed = value & A.U2X != 0
    isMultiProcessor = value & A.MPCM != 0
    if value & A.TXC != 0 { isTransmitComplete = false }
  }

  /// Switching the receiver off throws away what it holds; the transmitter first sends what it holds.
  mutating func write(UCSRB value: UInt8) {
    UCSRB = value & ~0x02
    if !isReceiverOn {
      first = nil
      second = nil
      waiting = nil
      hasLost = false
      if reception == .inFrame { reception = .ignoring }
    }
  }

  mutating func write(UCSRC value: UInt8) { UCSRC = value }

  // The low byte restarts the baud rate generator; a frame that is being sent keeps its time.
  mutating func write(UBRRL value: UInt8) { UBRR = UBRR & 0x0F00 | UInt16(value) }
  mutating func write(UBRRH value: UInt8) { UBRR = UInt16(value & 0x0F) << 8 | UBRR & 0xFF }

  // MARK: Sending

  /// The program writes UDR0. What goes out at once, if anything does.
  mutating func write(UDR value: UInt8, at cycle: UInt64) -> UInt8? {
    guard UCSRB & B.TXEN != 0, transmitBuffer == nil else { return nil }
    guard deadline == .max else {
      transmitBuffer = value
      return nil
    }
    return begin(value, at: cycle)
  }

  /// At `deadline`: a frame has been sent. What goes out next, if anything does.
  mutating func finishFrame() -> UInt8? {
    let cycle = deadline
    deadline = .max
    guard let next = transmitBuffer else {
      isTransmitComplete = true
      return nil
    }
    transmitBuffer = nil
    return begin(next, at: cycle)
  }

  private mutating func begin(_ value: UInt8, at cycle: UInt64) -> UInt8 {
    deadline = cycle + frameBits * bitCycles
    return value & dataMask
  }

  /// The clock stood still for so many cycles.
  mutating func pause(for cycles: UInt64) {
    if deadline != .max { deadline += cycles }
  }

  // MARK: Receiving

  /// A start bit; the byte that is lost by it, if one is.
  mutating func startBit(isAsleep: Bool) -> UInt8? {
    guard isReceiverOn, !isAsleep else {
      reception = .ignoring
      return nil
    }
    reception = .inFrame
    return loseWaiting()
  }

  /// A whole frame; the byte that is lost by it, if no start bit was told of before.
  mutating func receive(_ byte: UInt8, framingError: Bool) -> UInt8? {
    defer { reception = .idle }
    guard isReceiverOn, reception != .ignoring else { return nil }
    let lost = loseWaiting()
    waiting = Frame(data: byte & dataMask, flags: framingError ? A.FE : 0)
    fill()
    return lost
  }

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

  /// The program reads UDR0: the oldest byte; nil: there is none.
  mutating func readUDR() -> UInt8? {
    guard let frame = first else { return nil }
    first = second
    second = nil
    fill()
    return frame.data
  }

  // MARK: Interrupts

  /// A bit for each vector number: 18 RXC and 19 UDRE hold as long as their cause does, 20 TXC is entered once.
  var interrupts: UInt32 {
    var bits: UInt32 = 0
    if UCSRB & B.RXCIE != 0, first != nil { bits |= 1 << 18 }
    if UCSRB & B.UDRIE != 0, transmitBuffer == nil { bits |= 1 << 19 }
    if UCSRB & B.TXCIE != 0, isTransmitComplete { bits |= 1 << 20 }
    return bits
  }

  mutating func acknowledgeTransmitComplete() { isTransmitComplete = false }
}
