/// SREG as the hot loop keeps it: what the last instructions computed. A flag is derived from that
/// when something reads it, which is much less often than they are set.
///
/// The operations are those of `StatusRegister`.
struct LazyStatus {
  private typealias Bit = StatusRegister

  /// I and T, at their places in SREG.
  private var kept: UInt8
  /// The carries of the last sum or difference: bit 4 is H, bit 8 is C, and V is bit 7 xor bit 8.
  /// Bit 9 inverts S, which is otherwise N xor V.
  private var carries: UInt32
  /// Bit 7 is N.
  private var result: UInt8
  /// Z is set if this is 0.
  private var nonzero: UInt8

  @inline(__always)
  init(_ sreg: UInt8) {
    let sign = sreg >> 2 ^ sreg >> 3 ^ sreg >> 4
    kept = sreg & (Bit.I | Bit.T)
    carries =
      UInt32(sreg & Bit.C) << 8 | UInt32((sreg ^ sreg >> 3) & 1) << 7
      | UInt32(sreg & Bit.H) >> 1 | UInt32(sign & 1) << 9
    result = (sreg & Bit.N) << 5
    nonzero = ~sreg & Bit.Z
  }

  /// SREG.
  @inline(__always)
  var value: UInt8 {
    let carry = UInt8(truncatingIfNeeded: carries >> 8) & Bit.C
    let overflow = UInt8(truncatingIfNeeded: (carries ^ carries << 1) >> 5) & Bit.V
    let half = UInt8(truncatingIfNeeded: carries << 1) & Bit.H
    let negative = result >> 5 & Bit.N
    let sign: UInt8 = isLess ? Bit.S : 0
    return kept | carry | (isZero ? Bit.Z : 0) | negative | overflow | sign | half
  }

  @inline(__always) var isZero: Bool { nonzero == 0 }
  @inline(__always) var isCarry: Bool { carries & 0x100 != 0 }
  @inline(__always) var isT: Bool { kept & Bit.T != 0 }
  /// S.
  @inline(__always)
  var isLess: Bool {
    (UInt32(result) << 1 ^ carries ^ carries << 1 ^ carries >> 1) & 0x100 != 0
  }

  /// A flag, by its number in SREG.
  @inline(__always)
  subscript(bit: UInt8) -> Bool {
    switch bit {
    case 0: isCarry
    case 1: isZero
    case 4: isLess
    default: value >> (bit & 7) & 1 != 0
    }
  }

  @inline(__always) mutating func clearI() { kept &= ~Bit.I }
  @inline(__always) mutating func set(T: UInt8) { kept = kept & ~Bit.T | (T & 1) << 6 }

  @inline(__always) private var carry: UInt32 { carries >> 8 & 1 }

  @inline(__always)
  private mutating func take(_ result: UInt8) {
    self.result = result
    nonzero = result
  }

  @inline(__always)
  private mutating func add(_ a: UInt8, _ b: UInt8, _ carry: UInt32) -> UInt8 {
    let sum = UInt32(a) &+ UInt32(b) &+ carry
    carries = UInt32(a) ^ UInt32(b) ^ sum
    take(UInt8(truncatingIfNeeded: sum))
    return result
  }

  @inline(__always)
  mutating func add(_ a: UInt8, _ b: UInt8) -> UInt8 { add(a, b, 0) }

  @inline(__always)
  mutating func addWithCarry(_ a: UInt8, _ b: UInt8) -> UInt8 { add(a, b, carry) }

  @inline(__always)
  private mutating func subtract(_ a: UInt8, _ b: UInt8, _ carry: UInt32) -> UInt8 {
    let difference = UInt32(a) &- UInt32(b) &- carry
    carries = (UInt32(a) ^ UInt32(b) ^ difference) & 0x1FF
    result = UInt8(truncatingIfNeeded: difference)
    return result
  }

  @inline(__always)
  mutating func subtract(_ a: UInt8, _ b: UInt8) -> UInt8 {
    nonzero = subtract(a, b, 0)
    return result
  }

  @inline(__always)
  mutating func subtractWithCarry(_ a: UInt8, _ b: UInt8) -> UInt8 {
    nonzero |= subtract(a, b, carry)
    return result
  }

  @inline(__always)
  mutating func logic(_ result: UInt8) -> UInt8 {
    keepCarry(overflow: 0)
    take(result)
    return result
  }

  /// Keeps C and H. V is bit 7 of `overflow`.
  @inline(__always)
  private mutating func keepCarry(overflow: UInt8) {
    carries = (carries & 0x110 | carries >> 1 & 0x80) ^ UInt32(overflow & 0x80)
  }

  @inline(__always)
  mutating func complement(_ a: UInt8) -> UInt8 {
    carries = carries & 0x10 | 0x180
    take(~a)
    return result
  }

  @inline(__always)
  mutating func increment(_ a: UInt8) -> UInt8 {
    take(a &+ 1)
    keepCarry(overflow: ~a & result)
    return result
  }

  @inline(__always)
  mutating func decrement(_ a: UInt8) -> UInt8 {
    take(a &- 1)
    keepCarry(overflow: a & ~result)
    return result
  }

  /// V is N xor C.
  @inline(__always)
  mutating func shiftRight(_ a: UInt8, top: UInt8) -> UInt8 {
    take(a >> 1 | top & 0x80)
    carries = carries & 0x10 | UInt32(a & 1) << 8 | UInt32(result & 0x80)
    return result
  }

  @inline(__always)
  mutating func rotateRight(_ a: UInt8) -> UInt8 {
    shiftRight(a, top: UInt8(truncatingIfNeeded: carry << 7))
  }

  @inline(__always)
  mutating func addWord(_ a: UInt16, _ k: UInt16) -> UInt16 {
    let sum = a &+ k
    take(a, sum, carry: ~sum & a)
    return sum
  }

  @inline(__always)
  mutating func subtractWord(_ a: UInt16, _ k: UInt16) -> UInt16 {
    let difference = a &- k
    take(a, difference, carry: difference & ~a)
    return difference
  }

  /// V is set if bit 15 changes without a carry.
  @inline(__always)
  private mutating func take(_ a: UInt16, _ word: UInt16, carry: UInt16) {
    carries = carries & 0x10 | UInt32(carry & 0x8000) >> 7 | UInt32((a ^ word) & 0x8000) >> 8
    result = UInt8(truncatingIfNeeded: word >> 8)
    nonzero = result | UInt8(truncatingIfNeeded: word)
  }

  /// Only Z and C change.
  @inline(__always)
  mutating func multiply(_ a: UInt8, _ b: UInt8) -> UInt16 {
    let product = UInt16(a) &* UInt16(b)
    // V is kept.
    if carry != UInt32(product >> 15) { carries ^= 0x180 }
    nonzero = UInt8(truncatingIfNeeded: product) | UInt8(truncatingIfNeeded: product >> 8)
    return product
  }
}
