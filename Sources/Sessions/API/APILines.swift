/// Splits a client's bytes into lines.
struct APILines: Hashable, Sendable {
  enum Line: Hashable, Sendable {
    /// Without its newline.
    case text([UInt8])
    /// A line longer than `lengthMax`, which is skipped.
    case tooLong
  }

  /// The maximum length of a line, in bytes.
  static let lengthMax = 1 << 16

  private var rest: [UInt8] = []
  /// Whether the rest of a line is skipped because it is too long.
  private var isSkipping = false

  /// Takes more bytes. Returns the lines that are now complete, without empty ones.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in bytes {
      if byte == 0x0A {
        if let line = close() { lines.append(line) }
      } else if rest.count < Self.lengthMax {
        rest.append(byte)
      } else {
        isSkipping = true
      }
    }
    return lines
  }

  /// Returns the last line if it has no newline.
  mutating func finish() -> Line? { close() }

  private mutating func close() -> Line? {
    defer {
      rest.removeAll(keepingCapacity: true)
      isSkipping = false
    }
    if isSkipping { return .tooLong }
    if rest.last == 0x0D { rest.removeLast() }
    return rest.isEmpty ? nil : .text(rest)
  }
}
