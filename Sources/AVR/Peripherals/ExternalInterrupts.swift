/// INT0, INT1 and the pin change interrupts (data sheet, "External Interrupts"). Flags are set
/// immediately; the real chip takes two to three cycles longer.
struct ExternalInterrupts: Hashable, Sendable, Codable {
  fileprivate(set) var EICRA: UInt8 = 0
  fileprivate(set) var EIMSK: UInt8 = 0
  fileprivate(set) var EIFR: UInt8 = 0
  fileprivate(set) var PCICR: UInt8 = 0
  fileprivate(set) var PCIFR: UInt8 = 0
  /// The masks of ports B, C and D.
  fileprivate(set) var PCMSK: SIMD4<UInt8> = .zero
  /// The levels of INT0 and INT1 in bits 0 and 1.
  private var levels: UInt8 = 0

  /// Handles a change of the levels on a port's pins.
  mutating func levelsChanged(of port: Pin.Port, from old: UInt8, to new: UInt8) {
    if (old ^ new) & PCMSK[Int(port.rawValue)] != 0 { PCIFR |= 1 << port.rawValue }
    guard port == .D else { return }
    // INT0 is PD2, INT1 is PD3.
    let before = levels
    levels = (new >> 2) & 0b11
    for bit in 0..<UInt8(2) where (before ^ levels) & (1 << bit) != 0 {
      let isHigh = levels & (1 << bit) != 0
      switch sense(bit) {
      case 0: break
      case 1: EIFR |= 1 << bit
      case 2: if !isHigh { EIFR |= 1 << bit }
      default: if isHigh { EIFR |= 1 << bit }
      }
    }
  }

  /// Stores the levels of port D without setting a flag.
  mutating func forget(levels: UInt8) { self.levels = (levels >> 2) & 0b11 }

  /// Whether edges of INT1 have no effect.
  var ignoresINT1: Bool { EIMSK & 2 == 0 && sense(1) == 0 }

  /// INTF0, which can begin a conversion.
  var hasFlag0: Bool { EIFR & 1 != 0 }

  private func sense(_ bit: UInt8) -> UInt8 { (EICRA >> (2 * bit)) & 0b11 }

  /// One bit for each vector number, 1...5. A low level requests its interrupt for as long as it
  /// lasts.
  var interrupts: UInt32 {
    var flags = EIFR
    if sense(0) == 0, levels & 1 == 0 { flags |= 1 }
    if sense(1) == 0, levels & 2 == 0 { flags |= 2 }
    return UInt32(flags & EIMSK) << 1 | UInt32(PCIFR & PCICR) << 3
  }
}

extension ExternalInterrupts: Peripheral {
  enum Register: UInt8, CaseIterable {
    case PCIFR = 0x3B, EIFR, EIMSK
    case PCICR = 0x68, EICRA
    case PCMSK0 = 0x6B, PCMSK1, PCMSK2
  }

  static let owner = Peripherals.Owner.external
  static let vectors: UInt32 = 0b11_1110

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {
    switch register {
    case .PCIFR: chip.external.PCIFR
    case .EIFR: chip.external.EIFR
    case .EIMSK: chip.external.EIMSK
    case .PCICR: chip.external.PCICR
    case .EICRA: chip.external.EICRA
    case .PCMSK0: chip.external.PCMSK[0]
    case .PCMSK1: chip.external.PCMSK[1]
    case .PCMSK2: chip.external.PCMSK[2]
    }
  }

  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {
    // The levels that were not followed change now, before an edge can set a flag.
    chip.settleQuietOutputs(at: cycle)
    switch register {
    case .PCIFR: chip.external.PCIFR &= ~value
    case .EIFR: chip.external.EIFR &= ~value
    case .EIMSK: chip.external.EIMSK = value & 0b11
    case .PCICR: chip.external.PCICR = value & 0b111
    case .EICRA: chip.external.EICRA = value & 0b1111
    case .PCMSK0: chip.external.PCMSK[0] = value
    // Port C has seven pins.
    case .PCMSK1: chip.external.PCMSK[1] = value & 0x7F
    case .PCMSK2: chip.external.PCMSK[2] = value
    }
    chip.changeOutputs(at: cycle)
  }

  /// Writing 1 clears a flag, so SBI and CBI write 0 to the others.
  static func kept(in register: Register, _ chip: Peripherals) -> UInt8? {
    switch register {
    case .PCIFR, .EIFR: 0
    case .EIMSK, .PCICR, .EICRA, .PCMSK0, .PCMSK1, .PCMSK2: nil
    }
  }

  static func interrupts(_ chip: Peripherals) -> UInt32 { chip.external.interrupts }

  static func acknowledge(_ vector: UInt8, _ chip: inout Peripherals, at cycle: UInt64) {
    if vector <= 2 {
      chip.external.EIFR &= ~(1 << (vector - 1))
    } else {
      chip.external.PCIFR &= ~(1 << (vector - 3))
    }
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {
    chip.external = ExternalInterrupts()
    chip.external.forget(levels: chip.ports.D.levels)
  }
}
