/// The serial peripheral interface as a master (data sheet, "SPI") on a bus with the
/// chip's parts: a byte takes the time of its eight bits. Where no part answers, each bit received
/// is the level of MISO, PB4.
///
/// The bits are not put on the pins. There is no other master, so a slave never transfers anything.
struct SPI: Hashable, Sendable, Codable {
  fileprivate enum Bit {
    static let SPIE: UInt8 = 0x80
    static let SPE: UInt8 = 0x40
    static let MSTR: UInt8 = 0x10
    static let SPIF: UInt8 = 0x80
    static let WCOL: UInt8 = 0x40
    static let SPI2X: UInt8 = 0x01
  }

  private(set) var SPCR: UInt8 = 0
  fileprivate(set) var SPSR: UInt8 = 0
  private(set) var SPDR: UInt8 = 0
  private(set) var sent: UInt8 = 0
  /// The end of the transfer; `.max` if none is in progress.
  private(set) var deadline: UInt64 = .max
  /// The flags that SPSR had when it was read: the next access of SPDR clears them.
  private var seen: UInt8 = 0

  /// Vector 17.
  var isInterrupting: Bool { SPCR & Bit.SPIE != 0 && SPSR & Bit.SPIF != 0 }
  private var isMaster: Bool { SPCR & (Bit.SPE | Bit.MSTR) == Bit.SPE | Bit.MSTR }

  /// Eight bits of 2 to 128 cycles (data sheet, "Relationship Between SCK and the Oscillator
  /// Frequency").
  private var transferCycles: UInt64 {
    let isDouble = SPSR & Bit.SPI2X != 0
    let bit: UInt64 =
      switch SPCR & 0b11 {
      case 0: 4
      case 1: 16
      case 2: 64
      default: 128
      }
    return 8 * (isDouble ? bit / 2 : bit)
  }

  /// Whether reading SPSR, or then SPDR, has an effect.
  var notesRead: Bool { SPSR & (Bit.SPIF | Bit.WCOL) != seen }
  var clearsFlags: Bool { seen != 0 }

  /// Returns whether this made the interface a master.
  mutating func write(SPCR value: UInt8) -> Bool {
    let wasMaster = isMaster
    SPCR = value
    if !isMaster { deadline = .max }
    return isMaster && !wasMaster
  }

  mutating func write(SPSR value: UInt8) { SPSR = SPSR & ~Bit.SPI2X | value & Bit.SPI2X }

  /// Begins a transfer. A byte that is written during one is lost.
  mutating func write(SPDR value: UInt8, at cycle: UInt64) {
    clearSeen()
    guard isMaster else { return }
    if deadline == .max {
      sent = value
      deadline = cycle + transferCycles
    } else {
      SPSR |= Bit.WCOL
    }
  }

  mutating func readSPSR() -> UInt8 {
    seen = SPSR & (Bit.SPIF | Bit.WCOL)
    return SPSR
  }

  mutating func readSPDR() -> UInt8 {
    clearSeen()
    return SPDR
  }

  private mutating func clearSeen() {
    SPSR &= ~seen
    seen = 0
  }

  /// Ends the transfer at `deadline`, with the byte that was received.
  mutating func finish(_ received: UInt8) {
    deadline = .max
    SPDR = received
    SPSR |= Bit.SPIF
    seen &= ~Bit.SPIF
  }

  /// Delays the transfer: the clock was stopped for this many cycles.
  mutating func pause(for cycles: UInt64) {
    if deadline != .max { deadline &+= cycles }
  }

  init() {}
}

extension SPI: Peripheral {
  enum Register: UInt8, CaseIterable {
    case SPCR = 0x4C, SPSR, SPDR
  }

  static let owner = Peripherals.Owner.SPI
  static let vectors: UInt32 = 1 << 17

  /// MISO. A master reads it whatever its direction in DDRB.
  private static let MISO = Pin(.B, 4)

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .SPCR: chip.SPI.SPCR
    case .SPSR: chip.SPI.notesRead ? nil : chip.SPI.SPSR
    case .SPDR: chip.SPI.clearsFlags ? nil : chip.SPI.SPDR
    }
  }

  static func read(
    _ register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) -> UInt8 {
    switch register {
    case .SPCR: return chip.SPI.SPCR
    case .SPSR: return chip.SPI.readSPSR()
    case .SPDR:
      defer { chip.update(SPI.self) }
      return chip.SPI.readSPDR()
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    guard chip.stopped.SPI == nil else { return }
    switch register {
    case .SPCR:
      if chip.SPI.write(SPCR: value), !chip.parts.isOnSPI {
        chip.notice("a device on SPI", at: cycle, pc: pc)
      }
    case .SPSR: chip.SPI.write(SPSR: value)
    case .SPDR: chip.SPI.write(SPDR: value, at: cycle)
    }
  }

  static func deadline(_ chip: Peripherals) -> UInt64 {
    chip.asleepSince == nil && chip.stopped.SPI == nil ? chip.SPI.deadline : .max
  }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    let answer = chip.tell(.exchange(chip.SPI.sent), at: cycle)
    let line: UInt8 = chip.level(of: MISO) ? 0xFF : 0
    chip.SPI.finish(answer.hasAnswered ? answer.byte : line)
  }

  static func startClock(_ chip: inout Peripherals, after cycles: UInt64, at cycle: UInt64) {
    if chip.stopped.SPI == nil { chip.SPI.pause(for: cycles) }
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 { chip.SPI.isInterrupting ? vectors : 0 }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    chip.SPI.SPSR &= ~Bit.SPIF
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) { chip.SPI = SPI() }
}
