/// Bytes as reports show them.
package enum ByteText {
  /// Returns the character, the control character's name, or hexadecimal.
  package static func name(_ byte: UInt8) -> String {
    switch byte {
    case 0x0A: "LF"
    case 0x0D: "CR"
    case 0x09: "TAB"
    case 0x20: "space"
    case 0x21...0x7E: String(Unicode.Scalar(byte))
    default: hexadecimal(byte)
    }
  }

  /// Returns the bytes as they would be typed, in backquotes.
  package static func quoted(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      switch byte {
      case 0x0A: text += "\\n"
      case 0x0D: text += "\\r"
      case 0x09: text += "\\t"
      case 0x20...0x7E: text += String(Unicode.Scalar(byte))
      default: text += "\\x" + hexadecimal(byte).dropFirst(2)
      }
    }
    return "`\(text)`"
  }

  /// Returns a byte as a trace contains it, in quotes.
  static func json(_ byte: UInt8) -> String {
    var text: [UInt8] = []
    text.appendQuoted(byte)
    return String(decoding: text, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }
}
