/// The two-wire interface as a master (data sheet, "2-wire Serial Interface"), on a bus with the
/// chip's parts. Where none of them answers, no address and no byte is acknowledged.
///
/// The bits are not put on the pins. There is no other master, so arbitration is never lost and a
/// slave is never addressed.
struct TWI: Hashable, Sendable, Codable {
  private enum Bit {
    static let TWINT: UInt8 = 0x80
    static let TWEA: UInt8 = 0x40
    static let TWSTA: UInt8 = 0x20
    static let TWSTO: UInt8 = 0x10
    static let TWWC: UInt8 = 0x08
    static let TWEN: UInt8 = 0x04
    static let TWIE: UInt8 = 0x01
  }
  /// TWSR without its prescaler (data sheet, "Status codes for Master Transmitter Mode" and for
  /// "Master Receiver Mode").
  private enum Status {
    static let start: UInt8 = 0x08
    static let repeatedStart: UInt8 = 0x10
    static let writeTaken: UInt8 = 0x18
    static let writeRefused: UInt8 = 0x20
    static let byteTaken: UInt8 = 0x28
    static let byteRefused: UInt8 = 0x30
    static let readTaken: UInt8 = 0x40
    static let readRefused: UInt8 = 0x48
    static let byteAcknowledged: UInt8 = 0x50
    static let lastByte: UInt8 = 0x58
    static let none: UInt8 = 0xF8
  }
  enum Action: String, Hashable, Sendable, Codable {
    case start, byte, stop
  }

  var TWBR: UInt8 = 0
  private(set) var TWSR = Status.none
  var TWAR: UInt8 = 0xFE
  private(set) var TWDR: UInt8 = 0xFF
  private(set) var TWCR: UInt8 = 0
  var TWAMR: UInt8 = 0
  private var action: Action?
  /// The end of the action; `.max` if none is in progress.
  private(set) var deadline: UInt64 = .max
  /// Whether a START has been sent and no STOP.
  private var ownsBus = false
  /// The address that no device has just answered.
  private var unanswered: UInt8?
  init() {}

  /// Vector 24, for as long as TWINT is set.
  var isInterrupting: Bool { TWCR & (Bit.TWINT | Bit.TWIE) == Bit.TWINT | Bit.TWIE }

  /// A bit's length in cycles (data sheet, "Bit Rate Generator Unit").
  private var bitCycles: UInt64 { 16 + (2 * UInt64(TWBR)) << (2 * UInt64(TWSR & 0b11)) }

  mutating func write(TWSR value: UInt8) { TWSR = TWSR & 0xF8 | value & 0b11 }

  /// TWDR can be written only while TWINT is set.
  mutating func write(TWDR value: UInt8) {
    if TWCR & Bit.TWINT != 0 {
      TWDR = value
      TWCR &= ~Bit.TWWC
    } else {
      TWCR |= Bit.TWWC
    }
  }

  /// Writing 1 to TWINT clears it and begins the action that TWSTA, TWSTO and the state select.
  mutating func write(TWCR value: UInt8, at cycle: UInt64) {
    let settings = Bit.TWEA | Bit.TWSTA | Bit.TWSTO | Bit.TWEN | Bit.TWIE
    TWCR = value & settings | TWCR & (Bit.TWINT | Bit.TWWC)
    guard value & Bit.TWEN != 0 else {
      // Any transmission ends.
      action = nil
      deadline = .max
      ownsBus = false
      TWCR &= ~Bit.TWSTO
      return
    }
    if value & Bit.TWINT != 0 {
      TWCR &= ~Bit.TWINT
      if action == nil { begin(at: cycle) }
    } else if TWCR & Bit.TWINT == 0, action == nil, TWCR & (Bit.TWSTA | Bit.TWSTO) != 0 {
      // Nothing is pending, so the bus is free for a START.
      begin(at: cycle)
    }
  }

  private mutating func begin(at cycle: UInt64) {
    let next: Action?
    if TWCR & Bit.TWSTO != 0 {
      next = ownsBus ? .stop : nil
      if next == nil { TWCR &= ~Bit.TWSTO }
    } else {
      next = ownsBus && TWCR & Bit.TWSTA == 0 ? .byte : nil
    }
    action = next ?? (TWCR & Bit.TWSTA != 0 ? .start : nil)
    switch action {
    case .start, .stop: deadline = cycle + bitCycles
    // Eight bits and the acknowledgement.
    case .byte: deadline = cycle + 9 * bitCycles
    case nil: break
    }
  }

  /// Ends the action at `deadline`. Returns what the parts on the bus are told.
  mutating func finish() -> PartEvent? {
    let end = deadline
    let done = action
    action = nil
    deadline = .max
    switch done {
    case .start:
      set(ownsBus ? Status.repeatedStart : Status.start)
      ownsBus = true
      return nil
    case .byte:
      switch TWSR & 0xF8 {
      case Status.start, Status.repeatedStart: return .address(TWDR >> 1, reads: TWDR & 1 != 0)
      case Status.readTaken, Status.byteAcknowledged: return .read
      case Status.writeTaken, Status.byteTaken: return .write(TWDR)
      default:
        set(Status.byteRefused)
        return nil
      }
    case .stop:
      TWCR &= ~Bit.TWSTO
      TWSR = TWSR & 0b11 | Status.none
      ownsBus = false
      // A STOP and a START were requested at once.
      if TWCR & Bit.TWSTA != 0 { begin(at: end) }
      return .stop
    case nil: return nil
    }
  }

  /// Takes the parts' answer to what they were told.
  mutating func take(_ answer: PartEffects, to event: PartEvent) {
    let isTaken = answer.isAcknowledged
    switch event {
    case .address(let address, let reads):
      let (taken, refused) =
        reads
        ? (Status.readTaken, Status.readRefused) : (Status.writeTaken, Status.writeRefused)
      set(isTaken ? taken : refused)
      if !isTaken { unanswered = address }
    case .read:
      TWDR = answer.byte
      set(TWCR & Bit.TWEA == 0 ? Status.lastByte : Status.byteAcknowledged)
    case .write: set(isTaken ? Status.byteTaken : Status.byteRefused)
    default: break
    }
  }

  mutating func takeUnanswered() -> UInt8? {
    defer { unanswered = nil }
    return unanswered
  }

  private mutating func set(_ status: UInt8) {
    TWSR = TWSR & 0b11 | status
    TWCR |= Bit.TWINT
  }

  /// Delays the action: the clock was stopped for this many cycles.
  mutating func pause(for cycles: UInt64) {
    if deadline != .max { deadline &+= cycles }
  }
}

extension TWI: Peripheral {
  enum Register: UInt8, CaseIterable {
    case TWBR = 0xB8, TWSR, TWAR, TWDR, TWCR, TWAMR
  }

  static let owner = Peripherals.Owner.TWI
  static let vectors: UInt32 = 1 << 24

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .TWBR: chip.TWI.TWBR
    case .TWSR: chip.TWI.TWSR
    case .TWAR: chip.TWI.TWAR
    case .TWDR: chip.TWI.TWDR
    case .TWCR: chip.TWI.TWCR
    case .TWAMR: chip.TWI.TWAMR
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    guard chip.stopped.TWI == nil else { return }
    switch register {
    case .TWBR: chip.TWI.TWBR = value
    case .TWSR: chip.TWI.write(TWSR: value)
    case .TWAR: chip.TWI.TWAR = value
    case .TWDR: chip.TWI.write(TWDR: value)
    case .TWCR: chip.TWI.write(TWCR: value, at: cycle)
    case .TWAMR: chip.TWI.TWAMR = value & 0xFE
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 {
    chip.asleepSince == nil && chip.stopped.TWI == nil ? chip.TWI.deadline : .max
  }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    if let event = chip.TWI.finish() {
      let answer = chip.tell(event, at: cycle)
      chip.TWI.take(answer, to: event)
    }
    if let address = chip.TWI.takeUnanswered() { chip.noticeSilence(of: address, at: cycle) }
  }

  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {
    if chip.stopped.TWI == nil { chip.TWI.pause(for: cycles) }
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 { chip.TWI.isInterrupting ? vectors : 0 }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.TWI = TWI()
  }
}
