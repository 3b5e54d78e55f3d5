package import NIOCore

/// The four bytes that mask a client's payload (RFC 6455, 5.3).
package struct MaskingKey: Hashable, Sendable {
  /// In the order on the wire, with the first byte lowest.
  private var bits: UInt32

  package init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
    bits = UInt32(a) | UInt32(b) << 8 | UInt32(c) << 16 | UInt32(d) << 24
  }

  /// An unpredictable key; each frame must have its own.
  package static func random() -> MaskingKey {
    var key = MaskingKey(0, 0, 0, 0)
    key.bits = .random(in: 0...UInt32.max)
    return key
  }

  package func write(into buffer: inout ByteBuffer) {
    buffer.writeInteger(bits, endianness: .little)
  }

  /// Masks or unmasks bytes that begin at `offset` in their frame's payload.
  package func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
    let shift = UInt32(offset & 3) * 8
    let turned = shift == 0 ? bits : bits >> shift | bits << (32 - shift)
    let wide = (UInt64(turned) << 32 | UInt64(turned)).littleEndian
    var index = 0
    while index + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < bytes.count {
      bytes[index] ^= UInt8(truncatingIfNeeded: turned >> (UInt32(index & 3) * 8))
      index += 1
    }
  }
}
