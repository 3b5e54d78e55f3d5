import Testing

@testable import AVR

/// Compares the hot loop's arithmetic with that of `StatusRegister`.
@Suite struct LazyStatusTests {
  private static let bytes: ClosedRange<UInt8> = 0...255
  /// With each flag set and cleared, and S in agreement with N and V and not.
  private static let statuses: [UInt8] = [0x00, 0xFF, 0x01, 0x02, 0x14, 0x18, 0x2D, 0x4A, 0x93]

  @Test func `SREG survives the lazy form`() {
    for sreg in Self.bytes {
      let status = LazyStatus(sreg)
      #expect(status.value == sreg)
      for bit in 0..<8 as Range<UInt8> { #expect(status[bit] == (sreg >> bit & 1 == 1)) }
      #expect(status.isT == (sreg & StatusRegister.T != 0))
    }
  }

  @Test func `I and T change alone`() {
    for sreg in Self.bytes {
      var status = LazyStatus(sreg)
      status.clearI()
      #expect(status.value == sreg & ~StatusRegister.I)
      for bit in 0...1 as ClosedRange<UInt8> {
        status.set(T: bit)
        #expect(status.value == sreg & ~(StatusRegister.I | StatusRegister.T) | bit << 6)
      }
    }
  }

  fileprivate struct Binary: Sendable {
    let name: String
    let lazy: @Sendable (UInt8, UInt8, inout LazyStatus) -> UInt8
    let eager: @Sendable (UInt8, UInt8, inout UInt8) -> UInt8
  }

  fileprivate static let binaries = [
    Binary(
      name: "add", lazy: { $2.add($0, $1) },
      eager: { StatusRegister.add($0, $1, carry: 0, &$2) }),
    Binary(
      name: "add with carry", lazy: { $2.addWithCarry($0, $1) },
      eager: { StatusRegister.add($0, $1, carry: $2 & 1, &$2) }),
    Binary(
      name: "subtract", lazy: { $2.subtract($0, $1) },
      eager: { StatusRegister.subtract($0, $1, &$2) }),
    Binary(
      name: "subtract with carry", lazy: { $2.subtractWithCarry($0, $1) },
      eager: { StatusRegister.subtractWithCarry($0, $1, &$2) }),
    Binary(
      name: "and", lazy: { $2.logic($0 & $1) }, eager: { StatusRegister.logic($0 & $1, &$2) }),
    Binary(
      name: "increment", lazy: { a, _, status in status.increment(a) },
      eager: { a, _, sreg in StatusRegister.increment(a, &sreg) }),
    Binary(
      name: "decrement", lazy: { a, _, status in status.decrement(a) },
      eager: { a, _, sreg in StatusRegister.decrement(a, &sreg) }),
    Binary(
      name: "complement", lazy: { a, _, status in status.complement(a) },
      eager: { a, _, sreg in StatusRegister.complement(a, &sreg) }),
    Binary(
      name: "shift right", lazy: { $2.shiftRight($0, top: $1) },
      eager: { StatusRegister.shiftRight($0, top: $1 & 0x80, &$2) }),
    Binary(
      name: "rotate right", lazy: { a, _, status in status.rotateRight(a) },
      eager: { a, _, sreg in StatusRegister.shiftRight(a, top: sreg << 7, &sreg) }),
  ]

  @Test(arguments: binaries.indices)
  func `Each operation on bytes sets the flags that StatusRegister sets`(index: Int) {
    let operation = Self.binaries[index]
    var differences = 0
    for sreg in Self.statuses {
      for a in Self.bytes {
        for b in Self.bytes {
          var status = LazyStatus(sreg)
          var expected = sreg
          let result = operation.lazy(a, b, &status)
          let right = operation.eager(a, b, &expected)
          if result != right || status.value != expected { differences += 1 }
        }
      }
    }
    #expect(differences == 0, "\(operation.name)")
  }

  @Test func `Each operation on words sets the flags that StatusRegister sets`() {
    var differences = 0
    for sreg in Self.statuses {
      for a in stride(from: 0 as UInt32, through: 0xFFFF, by: 7).map({ UInt16($0) }) {
        for k in [0, 1, 2, 63] as [UInt16] {
          var status = LazyStatus(sreg)
          var expected = sreg
          let sum = status.addWord(a, k)
          if sum != StatusRegister.addWord(a, k, &expected) || status.value != expected {
            differences += 1
          }
          let difference = status.subtractWord(a, k)
          if difference != StatusRegister.subtractWord(a, k, &expected)
            || status.value != expected
          {
            differences += 1
          }
        }
      }
    }
    #expect(differences == 0)
  }

  @Test func `A product changes Z and C alone`() {
    var differences = 0
    for sreg in Self.statuses {
      for a in Self.bytes {
        for b in Self.bytes {
          var status = LazyStatus(sreg)
          var expected = sreg
          let product = StatusRegister.product(
            UInt16(a) * UInt16(b), isFractional: false, &expected)
          if status.multiply(a, b) != product || status.value != expected { differences += 1 }
        }
      }
    }
    #expect(differences == 0)
  }
}
