/// Finds the changes in a stream of samples of 1 to 8 bytes each, the lowest byte first.
///
/// Most samples are the same as the one before, so 64 bytes at a time are compared with it.
struct SampleScanner {
  private let unit: Int
  /// The bits of a sample that are channels.
  private let mask: UInt64
  /// The mask, repeated for each sample in eight bytes; used only for units that divide eight.
  private let wideMask: UInt64
  private var current: UInt64 = 0
  /// The first bytes of a sample whose rest follows in the next piece.
  private var part: [UInt8] = []
  /// The number of samples so far.
  private(set) var count: UInt64 = 0

  init(unit: Int, mask: UInt64) {
    self.unit = unit
    self.mask = mask
    wideMask = Self.repeated(mask, unit: unit)
  }

  /// The number of bytes at the end that do not make a whole sample.
  var bytesLeft: Int { part.count }

  /// Takes the next bytes. Calls `change` with the number of samples before the change and the new
  /// sample; it returns whether to continue. Returns false if `change` did.
  mutating func take(
    _ piece: UnsafeRawBufferPointer, _ change: (UInt64, UInt64) throws(CaptureError) -> Bool
  ) throws(CaptureError) -> Bool {
    var bytes = piece
    if !part.isEmpty {
      let missing = min(unit - part.count, bytes.count)
      part += bytes[..<missing]
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard part.count == unit else { return true }
      var value: UInt64 = 0
      for byte in part.reversed() { value = value << 8 | UInt64(byte) }
      part = []
      value &= mask
      if value != current || count == 0 {
        current = value
        guard try change(count, value) else { return false }
      }
      count += 1
    }
    let rest = bytes.count % unit
    if rest > 0 { part = Array(bytes.suffix(rest)) }
    return try scan(UnsafeRawBufferPointer(rebasing: bytes.dropLast(rest)), change)
  }

  private mutating func scan(
    _ bytes: UnsafeRawBufferPointer, _ change: (UInt64, UInt64) throws(CaptureError) -> Bool
  ) throws(CaptureError) -> Bool {
    guard !bytes.isEmpty else { return true }
    let first = count
    let total = bytes.count
    var offset = 0
    if first == 0 {
      current = sample(bytes, 0)
      guard try change(0, current) else { return false }
    }
    while true {
      offset = unchanged(bytes, from: offset)
      guard offset < total else { break }
      current = sample(bytes, offset)
      guard try change(first + UInt64(offset / unit), current) else { return false }
    }
    count = first + UInt64(total / unit)
    return true
  }

  /// Returns the offset of the first sample that differs from the current one, or the end.
  @inline(__always)
  private func unchanged(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var offset = start
    let total = bytes.count
    if 8 % unit == 0 {
      let pattern = Self.repeated(current, unit: unit)
      let patterns = SIMD8<UInt64>(repeating: pattern)
      let masks = SIMD8<UInt64>(repeating: wideMask)
      while offset &+ 64 <= total {
        let block = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
        guard ((block ^ patterns) & masks) == SIMD8<UInt64>.zero else { break }
        offset &+= 64
      }
      while offset &+ 8 <= total {
        let word = UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let difference = (word ^ pattern) & wideMask
        if difference != 0 {
          return offset &+ difference.trailingZeroBitCount / (8 &* unit) &* unit
        }
        offset &+= 8
      }
    }
    while offset < total {
      if sample(bytes, offset) != current { return offset }
      offset &+= unit
    }
    return total
  }

  @inline(__always)
  private func sample(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<unit { value |= UInt64(bytes[offset &+ index]) &<< UInt64(8 &* index) }
    return value & mask
  }

  private static func repeated(_ value: UInt64, unit: Int) -> UInt64 {
    var wide: UInt64 = 0
    var shift = 0
    while shift < 64 {
      wide |= value << UInt64(shift)
      shift += 8 * unit
    }
    return wide
  }
}
