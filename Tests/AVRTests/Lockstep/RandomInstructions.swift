import TestSupport

@testable import AVR

/// Makes up a program while it runs: the next instruction is any that does no harm in the chip's
/// present state, so that jumps can lead anywhere and pointers are used as they are.
struct RandomInstructions {
  /// The word addresses that jumps lead to, so that a few words follow.
  private static let code = 0x20..<0x3FE0
  /// The addresses that the stack is limited to.
  private static let stack: ClosedRange<UInt16> = 0x180...0x880
  /// The I/O registers without side effects: the ports, the general purpose ones, SP and SREG.
  private static let io: Set<UInt16> = [
    0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x3E, 0x4A, 0x4B, 0x5D, 0x5E, 0x5F,
  ]

  private var random: SeededGenerator
  /// The instructions to execute next, which use what those before them set up.
  private var queue: [[UInt16]] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Bytes for registers and SRAM.
  mutating func data() -> [UInt8] {
    (0..<DataSpace.count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// The words for the program counter: an instruction, and one that a skip would skip.
  mutating func next(for chip: ATmega328P) -> [UInt16] {
    while !queue.isEmpty {
      let words = queue.removeFirst()
      let instruction = Decoder.decode(
        words[0], next: words.count > 1 ? words[1] : 0, at: chip.core.pc)
      if isHarmless(instruction, chip) { return words }
    }
    if !Self.code.contains(chip.core.pc) { return [0x940C, address()] }
    while true {
      let encoding = Encoding.all.randomElement(using: &random)!
      for _ in 0..<8 {
        let words = [encoding.word(using: &random), operand(of: encoding.operation)]
        let instruction = Decoder.decode(words[0], next: words[1], at: chip.core.pc)
        let text = Array(words[..<Int(instruction.words)])
        if isHarmless(instruction, chip) { return text + successor() }
        if let pointer = Self.pointer(of: instruction.operation), !Self.takesItsPointer(instruction)
        {
          setUp(pointer, for: instruction.operation)
          queue.append(text + successor())
          return queue.removeFirst()
        }
      }
    }
  }

  // MARK: Words

  private mutating func address() -> UInt16 {
    UInt16(Self.code.randomElement(using: &random)!)
  }

  /// A second word.
  private mutating func operand(of operation: AVR.Operation) -> UInt16 {
    operation == .lds || operation == .sts ? dataAddress() : address()
  }

  /// Mostly an address in SRAM, sometimes a register or an I/O register.
  private mutating func dataAddress() -> UInt16 {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .random(in: 0..<24, using: &random)
    case 1: Self.io.sorted().randomElement(using: &random)!
    default: .random(in: 0x100...0x8FF, using: &random)
    }
  }

  /// One or two words that a skip at the program counter may skip.
  private mutating func successor() -> [UInt16] {
    let word = Encoding.all.randomElement(using: &random)!.word(using: &random)
    return [word, address()]
  }

  /// Loads a pointer with something the operation can use.
  private mutating func setUp(_ pointer: Int, for operation: AVR.Operation) {
    let value =
      switch operation {
      case .ijmp, .icall: address()
      case .lpmR0, .lpm, .lpmIncrement: UInt16.random(in: 0..<0x8000, using: &random)
      default: dataAddress()
      }
    queue.append([Self.ldi(pointer, UInt8(truncatingIfNeeded: value))])
    queue.append([Self.ldi(pointer + 1, UInt8(value >> 8))])
  }

  private static func ldi(_ register: Int, _ value: UInt8) -> UInt16 {
    0xE000 | UInt16(value & 0xF0) << 4 | UInt16(register - 16) << 4 | UInt16(value & 0x0F)
  }

  // MARK: Harm

  private func isHarmless(_ instruction: Instruction, _ chip: ATmega328P) -> Bool {
    if Self.takesItsPointer(instruction) { return false }
    let core = chip.core
    let d = Int(instruction.d)
    func word(_ register: Int) -> UInt16 {
      UInt16(chip.data[register]) | UInt16(chip.data[register + 1]) << 8
    }
    func reads(_ address: UInt16) -> Bool {
      address < 24 || (0x100...0x8FF).contains(address) || Self.io.contains(address)
    }
    func writes(_ address: UInt16) -> Bool {
      let value = UInt16(chip.data[d])
      return switch Int(address) {
      case DataSpace.SPL: Self.stack.contains(core.sp & 0xFF00 | value)
      case DataSpace.SPH: Self.stack.contains(core.sp & 0x00FF | value << 8)
      default: reads(address)
      }
    }
    let k = UInt16(truncatingIfNeeded: instruction.k)
    switch instruction.operation {
    case .rjmp, .brbs, .brbc: return Self.code.contains(Int(instruction.k))
    case .rcall: return Self.code.contains(Int(instruction.k)) && Self.stack.contains(core.sp)
    case .call, .push, .pop: return Self.stack.contains(core.sp)
    case .ijmp: return Self.code.contains(Int(word(30)))
    case .icall: return Self.code.contains(Int(word(30))) && Self.stack.contains(core.sp)
    case .ret, .reti:
      guard Self.stack.contains(core.sp) else { return false }
      let sp = Int(core.sp)
      return Self.code.contains(Int(chip.data[sp + 1]) << 8 | Int(chip.data[sp + 2]))
    case .lds, .in, .sbic, .sbis: return reads(k)
    case .sts, .out: return writes(k)
    // These do not reach SP.
    case .sbi, .cbi: return reads(k)
    case .ldX, .ldXIncrement: return reads(word(26))
    case .ldXDecrement: return reads(word(26) &- 1)
    case .ldYIncrement: return reads(word(28))
    case .ldYDecrement: return reads(word(28) &- 1)
    case .lddY: return reads(word(28) &+ k)
    case .ldZIncrement: return reads(word(30))
    case .ldZDecrement: return reads(word(30) &- 1)
    case .lddZ: return reads(word(30) &+ k)
    case .stX, .stXIncrement: return writes(word(26))
    case .stXDecrement: return writes(word(26) &- 1)
    case .stYIncrement: return writes(word(28))
    case .stYDecrement: return writes(word(28) &- 1)
    case .stdY: return writes(word(28) &+ k)
    case .stZIncrement: return writes(word(30))
    case .stZDecrement: return writes(word(30) &- 1)
    case .stdZ: return writes(word(30) &+ k)
    case .lpmR0, .lpm, .lpmIncrement: return word(30) < 0x8000
    case .spm, .spmIncrement, .reserved, .erased, .outside, .entry: return false
    default: return true
    }
  }

  /// The pair of registers that an operation uses as a pointer to read, write or jump.
  private static func pointer(of operation: AVR.Operation) -> Int? {
    switch operation {
    case .ldX, .ldXIncrement, .ldXDecrement, .stX, .stXIncrement, .stXDecrement: 26
    case .ldYIncrement, .ldYDecrement, .lddY, .stYIncrement, .stYDecrement, .stdY: 28
    case .ldZIncrement, .ldZDecrement, .lddZ, .stZIncrement, .stZDecrement, .stdZ: 30
    case .lpmR0, .lpm, .lpmIncrement, .ijmp, .icall: 30
    default: nil
    }
  }

  /// The manual does not define what happens when a pointer that is incremented or decremented is
  /// itself loaded or stored.
  private static func takesItsPointer(_ instruction: Instruction) -> Bool {
    let counts: Set<AVR.Operation> = [
      .ldXIncrement, .ldXDecrement, .ldYIncrement, .ldYDecrement, .ldZIncrement, .ldZDecrement,
      .stXIncrement, .stXDecrement, .stYIncrement, .stYDecrement, .stZIncrement, .stZDecrement,
      .lpmIncrement,
    ]
    guard counts.contains(instruction.operation), let pointer = pointer(of: instruction.operation)
    else { return false }
    return Int(instruction.d) & ~1 == pointer
  }
}
