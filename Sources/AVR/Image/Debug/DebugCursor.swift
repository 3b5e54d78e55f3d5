/// Reads from a section, by offsets in it.
struct DebugCursor: Sendable {
  let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>, at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  private var rest: Int { bytes.count - position }
  /// What has not been read yet.
  var others: ArraySlice<UInt8> { bytes.dropFirst(position) }

  /// Reads a number of `size` bytes, low byte first.
  mutating func fixed(_ size: Int) -> UInt64? {
    guard size <= rest else { return nil }
    var value: UInt64 = 0
    for index in 0..<size {
      value |= UInt64(bytes[bytes.startIndex + position + index]) << UInt64(index * 8)
    }
    position += size
    return value
  }

  /// Reads a number in ULEB128.
  mutating func unsigned() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = fixed(1) {
      if shift < 64 { value |= (byte & 0x7F) << shift }
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
    return nil
  }

  /// Reads a number in SLEB128.
  mutating func signed() -> Int64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = fixed(1) {
      if shift < 64 { value |= (byte & 0x7F) << shift }
      shift += 7
      guard byte & 0x80 == 0 else { continue }
      if byte & 0x40 != 0, shift < 64 { value |= ~0 << shift }
      return Int64(bitPattern: value)
    }
    return nil
  }

  mutating func take(_ size: UInt64) -> ArraySlice<UInt8>? {
    guard size <= UInt64(rest) else { return nil }
    let first = bytes.startIndex + position
    position += Int(size)
    return bytes[first..<first + Int(size)]
  }

  /// Reads a text with a zero at its end. One that is longer than `limit` counts as damaged.
  mutating func text(limit: Int) -> ArraySlice<UInt8>? {
    let first = bytes.startIndex + position
    let end = first + min(rest, limit)
    guard let zero = bytes[first..<end].firstIndex(of: 0) else { return nil }
    position += zero - first + 1
    return bytes[first..<zero]
  }
}
