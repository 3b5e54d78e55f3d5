import Sketches

/// The message that bare TCP sends instead of a close frame: a JSON object and a line feed.
enum TCPFarewell {
  static func line(_ closing: Closing) -> String {
    "{\"closed\": \(closing.code), \"message\": \"\(escaped(closing.reason))\"}\n"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{0}"..<" ":
        result += "\\u" + String(scalar.value, radix: 16, digits: 4)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
