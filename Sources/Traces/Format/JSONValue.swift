/// A JSON value that keeps what a trace must preserve: the order of keys and the digits of numbers.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The number's shortest decimal.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The value of a key; nil if the key is missing or this is not an object.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// A few words for the kind of value, for messages.
  package var noun: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): PlainText.of(text, upTo: PlainText.quotedMax)
    case .string(let text): PlainText.quoted(text)
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// Appends the canonical text, with `, ` and `: ` between items.
  package func append(to text: inout [UInt8]) {
    switch self {
    case .null: text.append("null")
    case .bool(let value): text.append(value ? "true" : "false")
    case .number(let digits): text.append(digits)
    case .string(let string): text.appendQuoted(string)
    case .array(let items):
      text.append("[")
      for (index, item) in items.enumerated() {
        if index > 0 { text.append(", ") }
        item.append(to: &text)
      }
      text.append("]")
    case .object(let members):
      text.append("{")
      for (index, member) in members.enumerated() {
        if index > 0 { text.append(", ") }
        text.appendQuoted(member.key)
        text.append(": ")
        member.value.append(to: &text)
      }
      text.append("}")
    }
  }

  /// The canonical text.
  package var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the shortest decimal of a JSON number: no trailing zeros, and no exponent unless the
  /// plain form would be long.
  static func shortest(_ number: Substring) -> String {
    var digits = number
    let isNegative = digits.first == "-"
    if isNegative { digits.removeFirst() }
    var exponent = 0
    if let e = digits.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      // A larger exponent is of no use, and its sum with the places could overflow.
      guard let value = Int32(digits[digits.index(after: e)...].drop { $0 == "+" }) else {
        return String(number)
      }
      exponent = Int(value)
      digits = digits[..<e]
    }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    var significand = String(parts[0])
    if parts.count > 1 {
      significand += parts[1]
      exponent -= parts[1].count
    }
    significand = String(significand.drop { $0 == "0" })
    while significand.last == "0" {
      significand.removeLast()
      exponent += 1
    }
    guard !significand.isEmpty else { return "0" }
    let sign = isNegative ? "-" : ""
    if exponent > 21 || exponent < -21 - significand.count {
      return sign + significand + "e\(exponent)"
    }
    if exponent >= 0 { return sign + significand + String(repeating: "0", count: exponent) }
    let places = -exponent
    if significand.count > places {
      let point = significand.index(significand.endIndex, offsetBy: -places)
      return sign + significand[..<point] + "." + significand[point...]
    }
    return sign + "0." + String(repeating: "0", count: places - significand.count) + significand
  }
}
