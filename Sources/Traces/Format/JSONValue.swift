package import Sketches

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

// Unknown values are null. There is a function for each kind, because the type checker takes a long
// time over an expression with several `map` and `??`.
extension JSONValue {
  package static func text(_ value: String?) -> JSONValue {
    guard let value else { return .null }
    return .string(value)
  }

  package static func whole(_ value: (some FixedWidthInteger)?) -> JSONValue {
    guard let value else { return .null }
    return .number(String(value))
  }

  package static func shortest(_ value: Double?) -> JSONValue {
    guard let value else { return .null }
    return .number(String(shortest: value))
  }

  /// Returns an instant in seconds, to the millisecond.
  package static func seconds(_ time: Instant) -> JSONValue {
    .number(String(shortest: .milliseconds(time.nanoseconds / 1_000_000)))
  }
}

extension LineScanner {
  /// Parses a text that is one JSON value, such as a timing or a state. Nothing can follow it.
  /// `path` is used in messages.
  static func read<Value>(
    _ text: [UInt8], path: String, _ body: (inout LineScanner) throws(Failure) -> Value
  ) throws(TraceError) -> Value {
    do throws(Failure) {
      // Not a closure, which would lose the error's type.
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
      defer { buffer.deallocate() }
      buffer.copyBytes(from: text)
      var scanner = LineScanner(UnsafeRawBufferPointer(buffer))
      let value = try body(&scanner)
      try scanner.takeEnd()
      return value
    } catch {
      let before = text.prefix(error.offset)
      let start = (before.lastIndex(of: 0x0A) ?? -1) + 1
      throw TraceError(
        .malformed, path: path, line: before.count { $0 == 0x0A } + 1,
        column: error.offset - start + 1, error.message)
    }
  }
}

extension JSONValue {
  /// Parses the only value in a text. `path` is used in messages.
  package static func contents(of text: [UInt8], path: String) throws(TraceError) -> JSONValue {
    try LineScanner.read(text, path: path) { (scanner) throws(LineScanner.Failure) in
      try scanner.takeValue()
    }
  }
}

/// Builds one line of JSON, in canonical form like a trace.
package struct JSONText {
  private var members: [JSONValue.Member] = []

  package init() {}

  package mutating func add(_ key: String, _ value: JSONValue) { members.append(.init(key, value)) }
  package mutating func add(_ key: String, _ text: String) { add(key, .string(text)) }
  package mutating func add(_ key: String, _ number: Int) { add(key, .number("\(number)")) }

  package mutating func add(_ key: String, _ instant: Instant) {
    add(key, .number(String(canonical: instant)))
  }
  package mutating func add(_ key: String, _ interval: Interval) {
    add(key, .number(String(canonical: .zero + interval)))
  }

  package var value: JSONValue { .object(members) }
  package var text: String { value.text }
}
