@testable import AVR

/// Assembles the tests' small programs.
///
/// Statements are separated by `;` or line ends. Besides the mnemonics of the instruction set
/// manual there are some short forms:
/// - `TCCR0B=5` loads R16 and stores it with OUT (2 cycles) or, from 0x60 on, STS (3 cycles). A
///   16-bit register is written high byte first (6 cycles).
/// - `r20=TCNT0` reads with IN (1 cycle) or LDS (2 cycles), and `r20=5` is LDI (1 cycle).
/// - `nop*5` repeats an instruction.
/// - `.org 22` continues at a word address.
///
/// Numbers are decimal, or hexadecimal with 0x. A program begins at word 0 and ends in a jump to
/// itself at `end`.
struct Assembler {
  /// Why a program cannot be assembled.
  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  private(set) var words: [UInt16] = []
  /// Word addresses.
  private(set) var labels: [String: Int] = [:]
  /// Whether the words' values are final: the first pass only finds the labels.
  private var isSecondPass = false

  init(_ source: String) throws {
    for isSecond in [false, true] {
      words = []
      isSecondPass = isSecond
      for statement in source.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
        try assemble(statement.split(whereSeparator: \.isWhitespace).joined(separator: " "))
      }
      try assemble("end:")
      try assemble("rjmp end")
    }
  }

  /// A chip with the program in its flash.
  var chip: ATmega328P {
    ATmega328P(flash: [(0, words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })])
  }

  private mutating func assemble(_ statement: String) throws {
    if statement.isEmpty { return }
    if statement.hasSuffix(":") {
      labels[String(statement.dropLast())] = words.count
    } else if statement.hasPrefix(".org ") {
      let address = try number(String(statement.dropFirst(5)))
      guard address >= words.count else { throw Mistake(description: statement) }
      words += [UInt16](repeating: 0, count: address - words.count)
    } else if let star = statement.firstIndex(of: "*") {
      let count = try number(String(statement[statement.index(after: star)...]))
      for _ in 0..<count { try assemble(String(statement[..<star])) }
    } else if let equals = statement.firstIndex(of: "=") {
      let (left, right) = (statement[..<equals], statement[statement.index(after: equals)...])
      try assign(String(left), String(right))
    } else {
      let parts = statement.split(separator: " ", maxSplits: 1)
      let operands =
        parts.count < 2
        ? []
        : parts[1].split(separator: ",").map { text in
          String(text.filter { $0 != " " })
        }
      words += try Mnemonic(self).words(String(parts[0]), operands)
    }
  }

  private mutating func assign(_ left: String, _ right: String) throws {
    if let register = Mnemonic.register(left) {
      if let address = Self.address(right) {
        try assemble(
          address < 0x60 ? "in r\(register), \(right)" : "lds r\(register), \(right)")
      } else {
        try assemble("ldi r\(register), \(right)")
      }
    } else if Self.address(left) != nil {
      try store(try number(right), left)
    } else {
      let value = try number(right)
      try store(value >> 8, left + "H")
      try store(value & 0xFF, left + "L")
    }
  }

  private mutating func store(_ value: Int, _ name: String) throws {
    guard let address = Self.address(name) else { throw Mistake(description: name) }
    try assemble("ldi r16, \(value)")
    try assemble(address < 0x60 ? "out \(name), r16" : "sts \(name), r16")
  }

  /// The address of an I/O register in the data space.
  static func address(_ name: String) -> Int? { addresses[name] }

  private static let addresses: [String: Int] = {
    var addresses = ["SPL": DataSpace.SPL, "SPH": DataSpace.SPH, "SREG": DataSpace.SREG]
    for address in UInt16(0x20)...0xFF {
      if let register = Register(rawValue: address) { addresses["\(register)"] = Int(address) }
    }
    return addresses
  }()

  /// A number or the word address of a label.
  func number(_ text: String) throws -> Int {
    let value = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    if let value { return value }
    if let label = labels[text] { return label }
    if isSecondPass { throw Mistake(description: "unknown: \(text)") }
    return words.count
  }
}
