@testable import AVR

/// The instructions that the tests' programs use. Bit patterns are from the instruction set manual.
struct Mnemonic {
  private let assembler: Assembler

  init(_ assembler: Assembler) { self.assembler = assembler }

  /// The number of `r16`; nil if the text names no register.
  static func register(_ text: String) -> Int? {
    guard text.hasPrefix("r"), let number = Int(text.dropFirst()), (0..<32).contains(number) else {
      return nil
    }
    return number
  }

  private static let plain: [String: UInt16] = [
    "nop": 0, "ret": 0x9508, "reti": 0x9518, "sleep": 0x9588, "wdr": 0x95A8, "sei": 0x9478,
    "cli": 0x94F8, "lpm": 0x95C8, "spm": 0x95E8, "icall": 0x9509, "ijmp": 0x9409,
  ]
  private static let one: [String: UInt16] = [
    "com": 0x9400, "inc": 0x9403, "dec": 0x940A, "push": 0x920F, "pop": 0x900F, "lsr": 0x9406,
  ]
  private static let two: [String: UInt16] = [
    "mov": 0x2C00, "add": 0x0C00, "adc": 0x1C00, "sub": 0x1800, "or": 0x2800, "eor": 0x2400,
    "and": 0x2000, "cp": 0x1400, "cpc": 0x0400, "cpse": 0x1000,
  ]
  private static let immediate: [String: UInt16] = [
    "ldi": 0xE000, "cpi": 0x3000, "andi": 0x7000, "ori": 0x6000, "subi": 0x5000,
  ]
  private static let bit: [String: UInt16] = [
    "cbi": 0x9800, "sbic": 0x9900, "sbi": 0x9A00, "sbis": 0x9B00,
  ]
  private static let skip: [String: UInt16] = ["sbrc": 0xFC00, "sbrs": 0xFE00]
  private static let branch: [String: UInt16] = [
    "breq": 0xF001, "brne": 0xF401, "brcs": 0xF000, "brcc": 0xF400, "brpl": 0xF402,
  ]
  private static let pointer: [String: UInt16] = ["x": 0x900C, "x+": 0x900D, "z": 0x8000]

  func words(_ name: String, _ operands: [String]) throws -> [UInt16] {
    func value(_ index: Int, _ range: ClosedRange<Int>) throws -> UInt16 {
      guard index < operands.count else { throw mistake(name, operands) }
      let value = try assembler.number(operands[index])
      guard range.contains(value) else { throw mistake(name, operands) }
      return UInt16(value)
    }
    func register(_ index: Int, _ range: ClosedRange<Int> = 0...31) throws -> UInt16 {
      guard index < operands.count, let number = Self.register(operands[index]),
        range.contains(number)
      else { throw mistake(name, operands) }
      return UInt16(number)
    }
    /// An address in the data space that IN and OUT, or SBI and its like, reach.
    func io(_ index: Int, _ last: Int) throws -> UInt16 {
      try data(index, 0x20...last) - 0x20
    }
    func data(_ index: Int, _ range: ClosedRange<Int>) throws -> UInt16 {
      if index < operands.count, let address = Assembler.address(operands[index]) {
        guard range.contains(address) else { throw mistake(name, operands) }
        return UInt16(address)
      }
      return try value(index, range)
    }
    func jump(_ index: Int, bits: Int) throws -> UInt16 {
      guard index < operands.count else { throw mistake(name, operands) }
      let offset = try assembler.number(operands[index]) - assembler.words.count - 1
      guard (-(1 << (bits - 1))..<1 << (bits - 1)).contains(offset) else {
        throw mistake(name, operands)
      }
      return UInt16(truncatingIfNeeded: offset) & (1 << UInt16(bits) - 1)
    }

    if let word = Self.plain[name], operands.isEmpty { return [word] }
    if let word = Self.one[name] { return [word | (try register(0)) << 4] }
    if let word = Self.two[name] {
      let (d, r) = (try register(0), try register(1))
      return [word | (r & 0x10) << 5 | r & 0xF | d << 4]
    }
    if let word = Self.immediate[name] {
      let (d, k) = (try register(0, 16...31), try value(1, 0...255))
      return [word | (k & 0xF0) << 4 | (d - 16) << 4 | k & 0xF]
    }
    if let word = Self.bit[name] { return [word | (try io(0, 0x3F)) << 3 | (try value(1, 0...7))] }
    if let word = Self.skip[name] { return [word | (try register(0)) << 4 | (try value(1, 0...7))] }
    if let word = Self.branch[name] { return [word | (try jump(0, bits: 7)) << 3] }
    switch name {
    case "rjmp": return [0xC000 | (try jump(0, bits: 12))]
    case "rcall": return [0xD000 | (try jump(0, bits: 12))]
    case "jmp": return [0x940C, try value(0, 0...0x3FFF)]
    case "in":
      let (d, a) = (try register(0), try io(1, 0x5F))
      return [0xB000 | (a & 0x30) << 5 | a & 0xF | d << 4]
    case "out":
      let (a, d) = (try io(0, 0x5F), try register(1))
      return [0xB800 | (a & 0x30) << 5 | a & 0xF | d << 4]
    case "lds": return [0x9000 | (try register(0)) << 4, try data(1, 0...0x8FF)]
    case "sts": return [0x9200 | (try register(1)) << 4, try data(0, 0...0x8FF)]
    case "ld":
      guard operands.count == 2, let word = Self.pointer[operands[1]] else { break }
      return [word | (try register(0)) << 4]
    case "st":
      guard operands.count == 2, let word = Self.pointer[operands[0]] else { break }
      return [word | 0x200 | (try register(1)) << 4]
    case "adiw", "sbiw":
      let (d, k) = (try register(0, 24...30), try value(1, 0...63))
      return [(name == "adiw" ? 0x9600 : 0x9700) | (k & 0x30) << 2 | k & 0xF | ((d - 24) / 2) << 4]
    default: break
    }
    throw mistake(name, operands)
  }

  private func mistake(_ name: String, _ operands: [String]) -> Assembler.Mistake {
    Assembler.Mistake(description: "\(name) \(operands.joined(separator: ", "))")
  }
}
