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
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
