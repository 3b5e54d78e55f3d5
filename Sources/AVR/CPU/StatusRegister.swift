/// The bits of SREG, and the arithmetic that sets them (AVR instruction set manual).
///
/// The functions are pure and inlined into `IterationBatch`: they take the operands and SREG and
/// return the result and SREG. `LazyStatus` has the same operations for the hot loop.
enum StatusRegister {
  static let C: UInt8 = 0x01
  static let Z: UInt8 = 0x02
  static let N: UInt8 = 0x04
  static let V: UInt8 = 0x08
  static let S: UInt8 = 0x10
  static let H: UInt8 = 0x20
  static let T: UInt8 = 0x40
  static let I: UInt8 = 0x80

  /// Z, N and S of a result, with V in bit 7 of `overflow`.
  @inline(__always)
  private static func zns(_ result: UInt8, _ overflow: UInt8) -> UInt8 {
    (result == 0 ? Z : 0) | (result & 0x80) >> 5 | (overflow & 0x80) >> 4
      | ((result ^ overflow) & 0x80) >> 3
  }

  @inline(__always)
  static func add(_ a: UInt8, _ b: UInt8, carry: UInt8, _ sreg: inout UInt8) -> UInt8 {
    let result = a &+ b &+ carry
    let carries = (a & b) | ((a | b) & ~result)
    let overflow = (a ^ result) & (b ^ result)
    sreg = sreg & (I | T) | zns(result, overflow) | carries >> 7 | (carries & 0x08) << 2
    return result
  }

  /// SUB, SUBI, CP, CPI.
  @inline(__always)
  static func subtract(_ a: UInt8, _ b: UInt8, _ sreg: inout UInt8) -> UInt8 {
    let result = a &- b
    let borrows = (~a & b) | ((~a | b) & result)
    let overflow = (a ^ b) & (a ^ result)
    sreg = sreg & (I | T) | zns(result, overflow) | borrows >> 7 | (borrows & 0x08) << 2
    return result
  }

  /// SBC, SBCI, CPC: Z is never set, only cleared.
  @inline(__always)
  static func subtractWithCarry(_ a: UInt8, _ b: UInt8, _ sreg: inout UInt8) -> UInt8 {
    let result = a &- b &- (sreg & C)
    let borrows = (~a & b) | ((~a | b) & result)
    let overflow = (a ^ b) & (a ^ result)
    let flags = zns(result, overflow) & (~Z | sreg)
    sreg = sreg & (I | T) | flags | borrows >> 7 | (borrows & 0x08) << 2
    return result
  }

  /// AND, OR, EOR and similar: V is cleared; C and H are kept.
  @inline(__always)
  static func logic(_ result: UInt8, _ sreg: inout UInt8) -> UInt8 {
    sreg = sreg & (I | T | H | C) | zns(result, 0)
    return result
  }

  @inline(__always)
  static func complement(_ a: UInt8, _ sreg: inout UInt8) -> UInt8 {
    let result = ~a
    sreg = sreg & (I | T | H) | zns(result, 0) | C
    return result
  }

  @inline(__always)
  static func increment(_ a: UInt8, _ sreg: inout UInt8) -> UInt8 {
    let result = a &+ 1
    sreg = sreg & (I | T | H | C) | zns(result, a == 0x7F ? 0x80 : 0)
    return result
  }

  @inline(__always)
  static func decrement(_ a: UInt8, _ sreg: inout UInt8) -> UInt8 {
    let result = a &- 1
    sreg = sreg & (I | T | H | C) | zns(result, a == 0x80 ? 0x80 : 0)
    return result
  }

  /// LSR, ROR, ASR: the bit shifted out is C, and V is N xor C.
  @inline(__always)
  static func shiftRight(_ a: UInt8, top: UInt8, _ sreg: inout UInt8) -> UInt8 {
    let result = a >> 1 | top
    let carry = a & 1
    sreg = sreg & (I | T | H) | zns(result, result ^ carry << 7) | carry
    return result
  }

  @inline(__always)
  static func addWord(_ a: UInt16, _ k: UInt16, _ sreg: inout UInt8) -> UInt16 {
    let result = a &+ k
    word(result, overflow: ~a & result, carry: ~result & a, &sreg)
    return result
  }

  @inline(__always)
  static func subtractWord(_ a: UInt16, _ k: UInt16, _ sreg: inout UInt8) -> UInt16 {
    let result = a &- k
    word(result, overflow: a & ~result, carry: result & ~a, &sreg)
    return result
  }

  @inline(__always)
  private static func word(
    _ result: UInt16, overflow: UInt16, carry: UInt16, _ sreg: inout UInt8
  ) {
    let high = UInt8(truncatingIfNeeded: result >> 8)
    let flags = zns(high, UInt8(truncatingIfNeeded: overflow >> 8)) & ~Z
    sreg =
      sreg & (I | T | H) | flags | (result == 0 ? Z : 0)
      | UInt8(truncatingIfNeeded: carry >> 15)
  }

  /// MUL and similar: only Z and C change.
  @inline(__always)
  static func product(_ product: UInt16, isFractional: Bool, _ sreg: inout UInt8) -> UInt16 {
    let result = isFractional ? product << 1 : product
    sreg = sreg & ~(C | Z) | UInt8(truncatingIfNeeded: product >> 15) | (result == 0 ? Z : 0)
    return result
  }
}
