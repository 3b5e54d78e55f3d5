@testable import AVR

/// The first word of an instruction in the notation of the AVR instruction set manual: a bit that
/// is neither 0 nor 1 is part of an operand. A second word, if there is one, is an address.
struct Encoding: Sendable {
  let operation: AVR.Operation
  private let fixed: UInt16
  private let free: UInt16

  private init(_ operation: AVR.Operation, _ pattern: String) {
    self.operation = operation
    precondition(pattern.utf8.count == 16, pattern)
    fixed = pattern.reduce(0) { $0 << 1 | ($1 == "1" ? 1 : 0) }
    free = pattern.reduce(0) { $0 << 1 | ($1 == "0" || $1 == "1" ? 0 : 1) }
  }

  func word(using random: inout some RandomNumberGenerator) -> UInt16 {
    fixed | UInt16(truncatingIfNeeded: random.next()) & free
  }

  /// All instructions of the ATmega328P except SPM. JMP and CALL are limited to its addresses.
  static let all: [Encoding] = [
    Encoding(.add, "000011rdddddrrrr"), Encoding(.adc, "000111rdddddrrrr"),
    Encoding(.adiw, "10010110kkddkkkk"), Encoding(.sub, "000110rdddddrrrr"),
    Encoding(.subi, "0101kkkkddddkkkk"), Encoding(.sbc, "000010rdddddrrrr"),
    Encoding(.sbci, "0100kkkkddddkkkk"), Encoding(.sbiw, "10010111kkddkkkk"),
    Encoding(.and, "001000rdddddrrrr"), Encoding(.andi, "0111kkkkddddkkkk"),
    Encoding(.or, "001010rdddddrrrr"), Encoding(.ori, "0110kkkkddddkkkk"),
    Encoding(.eor, "001001rdddddrrrr"), Encoding(.com, "1001010ddddd0000"),
    Encoding(.neg, "1001010ddddd0001"), Encoding(.inc, "1001010ddddd0011"),
    Encoding(.dec, "1001010ddddd1010"), Encoding(.mul, "100111rdddddrrrr"),
    Encoding(.muls, "00000010ddddrrrr"), Encoding(.mulsu, "000000110ddd0rrr"),
    Encoding(.fmul, "000000110ddd1rrr"), Encoding(.fmuls, "000000111ddd0rrr"),
    Encoding(.fmulsu, "000000111ddd1rrr"),
    Encoding(.rjmp, "1100kkkkkkkkkkkk"), Encoding(.ijmp, "1001010000001001"),
    Encoding(.jmp, "1001010000001100"), Encoding(.rcall, "1101kkkkkkkkkkkk"),
    Encoding(.icall, "1001010100001001"), Encoding(.call, "1001010000001110"),
    Encoding(.ret, "1001010100001000"), Encoding(.reti, "1001010100011000"),
    Encoding(.cpse, "000100rdddddrrrr"), Encoding(.cp, "000101rdddddrrrr"),
    Encoding(.cpc, "000001rdddddrrrr"), Encoding(.cpi, "0011kkkkddddkkkk"),
    Encoding(.sbrc, "1111110rrrrr0bbb"), Encoding(.sbrs, "1111111rrrrr0bbb"),
    Encoding(.sbic, "10011001aaaaabbb"), Encoding(.sbis, "10011011aaaaabbb"),
    Encoding(.brbs, "111100kkkkkkksss"), Encoding(.brbc, "111101kkkkkkksss"),
    Encoding(.mov, "001011rdddddrrrr"), Encoding(.movw, "00000001ddddrrrr"),
    Encoding(.ldi, "1110kkkkddddkkkk"), Encoding(.lds, "1001000ddddd0000"),
    Encoding(.sts, "1001001ddddd0000"),
    Encoding(.ldX, "1001000ddddd1100"), Encoding(.ldXIncrement, "1001000ddddd1101"),
    Encoding(.ldXDecrement, "1001000ddddd1110"), Encoding(.ldYIncrement, "1001000ddddd1001"),
    Encoding(.ldYDecrement, "1001000ddddd1010"), Encoding(.lddY, "10q0qq0ddddd1qqq"),
    Encoding(.ldZIncrement, "1001000ddddd0001"), Encoding(.ldZDecrement, "1001000ddddd0010"),
    Encoding(.lddZ, "10q0qq0ddddd0qqq"),
    Encoding(.stX, "1001001ddddd1100"), Encoding(.stXIncrement, "1001001ddddd1101"),
    Encoding(.stXDecrement, "1001001ddddd1110"), Encoding(.stYIncrement, "1001001ddddd1001"),
    Encoding(.stYDecrement, "1001001ddddd1010"), Encoding(.stdY, "10q0qq1ddddd1qqq"),
    Encoding(.stZIncrement, "1001001ddddd0001"), Encoding(.stZDecrement, "1001001ddddd0010"),
    Encoding(.stdZ, "10q0qq1ddddd0qqq"),
    Encoding(.lpmR0, "1001010111001000"), Encoding(.lpm, "1001000ddddd0100"),
    Encoding(.lpmIncrement, "1001000ddddd0101"), Encoding(.in, "10110aadddddaaaa"),
    Encoding(.out, "10111aadddddaaaa"), Encoding(.push, "1001001ddddd1111"),
    Encoding(.pop, "1001000ddddd1111"),
    Encoding(.sbi, "10011010aaaaabbb"), Encoding(.cbi, "10011000aaaaabbb"),
    Encoding(.lsr, "1001010ddddd0110"), Encoding(.ror, "1001010ddddd0111"),
    Encoding(.asr, "1001010ddddd0101"), Encoding(.swap, "1001010ddddd0010"),
    Encoding(.bset, "100101000sss1000"), Encoding(.bclr, "100101001sss1000"),
    Encoding(.bst, "1111101ddddd0bbb"), Encoding(.bld, "1111100ddddd0bbb"),
    Encoding(.nop, "0000000000000000"), Encoding(.sleep, "1001010110001000"),
    Encoding(.wdr, "1001010110101000"), Encoding(.break, "1001010110011000"),
  ]
}
