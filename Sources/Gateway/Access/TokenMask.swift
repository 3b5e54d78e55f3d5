/// Hides tokens in what is logged of a request.
package enum TokenMask {
  /// The text up to and with its first `token=`, and `...` for the rest; the text itself if it has
  /// none. The name counts in any case, and with any of it percent-encoded, however often.
  package static func masked(_ text: String) -> String {
    let name = Array("token=".utf8)
    /// Decoded as far as possible, and where each byte ends in the text.
    var bytes: [(byte: UInt8, end: String.Index)] = []
    for index in text.utf8.indices {
      bytes.append((text.utf8[index], text.utf8.index(after: index)))
      while let decoded = decoded(bytes.suffix(3).map(\.byte)) {
        let end = bytes[bytes.count - 1].end
        bytes.removeLast(3)
        bytes.append((decoded, end))
      }
      let isName = bytes.suffix(name.count).map { lowercased($0.byte) } == name
      if isName, bytes[bytes.count - 1].end < text.endIndex {
        return text[..<bytes[bytes.count - 1].end] + "..."
      }
    }
    return text
  }

  /// The byte of `%41`; nil: it is something else.
  private static func decoded(_ bytes: [UInt8]) -> UInt8? {
    guard bytes.count == 3, bytes[0] == UInt8(ascii: "%"), let high = digit(bytes[1]),
      let low = digit(bytes[2])
    else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
