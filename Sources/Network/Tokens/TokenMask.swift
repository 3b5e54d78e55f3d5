/// Hides tokens in log messages about a request.
package enum TokenMask {
  /// The text up to and including its first `token=`, followed by `...`; the whole text if it has
  /// none. The name is recognized in upper and lower case, and with any part of it percent-encoded
  /// any number of times.
  package static func masked(_ text: String) -> String {
    let name = Array("token=".utf8)
    /// The text decoded as far as possible, with the end of each decoded byte in the original text.
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

  /// The byte that a `%41` encodes; nil for anything else.
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
