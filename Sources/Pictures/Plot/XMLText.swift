/// Formats text for XML, in particular SVG.
package enum XMLText {
  /// Returns a number in its shortest decimal form with at most this many places.
  package static func number(_ value: Double, places: Int) -> String {
    var power: Int64 = 1
    for _ in 0..<places { power *= 10 }
    let scaled = (value * Double(power)).rounded()
    guard scaled.isFinite, scaled.magnitude < 1e17 else { return "0" }
    let whole = Int64(scaled)
    let (units, fraction) = whole.magnitude.quotientAndRemainder(dividingBy: power.magnitude)
    var text = whole < 0 ? "-\(units)" : "\(units)"
    guard fraction > 0 else { return text }
    var digits = "\(fraction)"
    digits = String(repeating: "0", count: places - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    text += "." + digits
    return text
  }

  /// Escapes text for use between tags and in quoted attributes.
  ///
  /// Most control characters are not permitted in XML, so they are replaced by their control
  /// pictures. Characters that change the direction of text are replaced too, as they would
  /// rearrange what follows.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(shown(scalar))
      }
    }
    return result
  }

  /// Returns a byte in readable form: printable ASCII as it is, common control characters as in
  /// source code, anything else in hexadecimal. Control pictures would be too small to read, and
  /// few fonts have them.
  package static func byte(_ byte: UInt8) -> String {
    switch byte {
    case 0x5C: return "\\\\"
    case 0x21...0x7E: return String(UnicodeScalar(byte))
    case 0x0D: return "\\r"
    case 0x0A: return "\\n"
    case 0x09: return "\\t"
    case 0x20: return "␣"
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      return "‹\(byte < 16 ? "0" : "")\(digits)›"
    }
  }

  private static func shown(_ scalar: UnicodeScalar) -> UnicodeScalar {
    switch scalar.value {
    case 0..<0x20, 0x7F: picture(ofControl: UInt8(scalar.value))
    case 0x80..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: "\u{FFFD}"
    default: scalar
    }
  }

  private static func picture(ofControl byte: UInt8) -> UnicodeScalar {
    byte == 0x7F ? "\u{2421}" : UnicodeScalar(0x2400 + UInt32(byte)) ?? "\u{FFFD}"
  }
}
