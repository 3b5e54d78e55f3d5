/// Text from a file or from the network, made fit for a terminal: it moves no cursor and does not fill the screen.
package enum PlainText {
  package static let lengthMax = 500

  /// Control characters are written as in JSON; what is longer than `length` scalars is cut.
  package static func of(_ text: String, upTo length: Int = lengthMax) -> String {
    var plain = ""
    for scalar in text.unicodeScalars.prefix(length) {
      switch scalar.value {
      case ..<0x20, 0x7F..<0xA0:
        let digits = String(scalar.value, radix: 16)
        plain += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: plain.unicodeScalars.append(scalar)
      }
    }
    return text.unicodeScalars.dropFirst(length).isEmpty ? plain : plain + "..."
  }
}
