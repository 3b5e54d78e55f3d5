import Sketches
import Traces

/// Parses the phone's answers.
///
/// The protocol does not specify how a phone answers without a target. So all of these mean no
/// target: no angle at all, an angle without a value, `null`, and the texts that number formatting
/// produces for a value that is not a finite number (`NaN`, `inf`). Any other invalid angle is
/// refused.
extension VisionReading {
  /// Parses a complete answer in either form, with or without white space around it.
  init(_ answer: [UInt8]) throws(VisionRefusal) {
    guard let text = String(validating: answer, as: UTF8.self) else {
      throw VisionRefusal("it is not UTF-8")
    }
    let trimmed = text.trimmed(where: \.isWhitespace)
    self = try trimmed.hasPrefix("{") ? Self(object: trimmed) : Self(fields: trimmed)
  }

  // MARK: The two forms

  private init(fields text: Substring) throws(VisionRefusal) {
    var values: [Substring: Substring] = [:]
    for field in text.split(separator: "|", omittingEmptySubsequences: false) {
      let field = field.trimmed(where: \.isWhitespace)
      // A bar at the end does not begin a field.
      guard !field.isEmpty else { continue }
      // A field without a key is the timestamp.
      let mark = field.firstIndex(of: "^")
      let key = mark.map { field[..<$0].trimmed(where: \.isWhitespace) } ?? "timestamp"
      let value =
        mark.map { field[field.index(after: $0)...].trimmed(where: \.isWhitespace) } ?? field
      guard values.updateValue(value, forKey: key) == nil else {
        throw VisionRefusal("it has more than one \(key)")
      }
    }
    let timestamp = values["timestamp"] ?? ""
    // Alone, it could be any message; a time has a colon between digits.
    guard values["angle"] != nil || values["distance"] != nil || Self.looksLikeTime(timestamp)
    else {
      throw VisionRefusal("it is neither fields with a time nor a JSON object")
    }
    self.init(
      timestamp: String(timestamp), angle: try Self.number(values["angle"] ?? ""),
      distance: try? Self.number(values["distance"] ?? ""))
  }

  private init(object text: Substring) throws(VisionRefusal) {
    let object: JSONValue
    do {
      object = try JSONValue.contents(of: Self.withoutNonNumbers(text.utf8), path: "answer")
    } catch {
      throw VisionRefusal("it is not a JSON object: \(error.message)")
    }
    let timestamp =
      switch object["timestamp"] {
      case .string(let text), .number(let text): text
      case nil, .null: ""
      case .some(let other): throw VisionRefusal("its timestamp is \(other.noun)")
      }
    self.init(
      timestamp: timestamp, angle: try Self.number(object["angle"]),
      distance: try? Self.number(object["distance"]))
  }

  // MARK: Numbers

  private static func number(_ value: JSONValue?) throws(VisionRefusal) -> Double? {
    switch value {
    case nil, .null: nil
    case .string(let text), .number(let text): try number(text.trimmed(where: \.isWhitespace))
    case .some(let other): throw VisionRefusal("a number in it is \(other.noun)")
    }
  }

  /// A decimal with an optional exponent; nil if the text means that there is none.
  private static func number(_ text: Substring) throws(VisionRefusal) -> Double? {
    if text.isEmpty || text.lowercased() == "null" || isNonNumber(text.utf8) { return nil }
    // `Double` alone would also accept hexadecimal numbers.
    guard text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }), let value = Double(text)
    else { throw VisionRefusal("a number in it is \"\(text)\"") }
    return value.isFinite ? value : nil
  }

  /// Whether it is a text that C, Java or Python writes for a value that is not a finite number.
  private static func isNonNumber(_ text: some Sequence<UInt8>) -> Bool {
    let signs = [UInt8(ascii: "-"), UInt8(ascii: "+")]
    let word = text.map { $0 | 0x20 }.drop(while: signs.contains)
    return ["nan", "inf", "infinity"].contains { word.elementsEqual($0.utf8) }
  }

  /// The JSON with `null` for each bare `NaN` or `Infinity`, which some libraries write in
  /// violation of the standard.
  private static func withoutNonNumbers(_ json: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var word: [UInt8] = []
    var isInString = false
    var isEscaped = false
    func take() {
      result += isNonNumber(word) ? Array("null".utf8) : word
      word = []
    }
    for byte in json {
      if !isInString, byte.isLetter || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") {
        word.append(byte)
        continue
      }
      take()
      result.append(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = isInString
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      }
    }
    take()
    return result
  }

  /// Whether there is a colon between two digits.
  private static func looksLikeTime(_ text: Substring) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.dropFirst().dropLast().contains {
      bytes[$0] == UInt8(ascii: ":") && bytes[$0 - 1].isDigit && bytes[$0 + 1].isDigit
    }
  }
}

/// An answer of the robot vision phone that cannot be used: the reason, in plain ASCII even if it
/// quotes the phone's text.
struct VisionRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  private static let bytesMax = 120

  let description: String

  init(_ description: String) {
    let plain = description.utf8.prefix(Self.bytesMax).map { byte in
      (0x20...0x7E).contains(byte) ? byte : UInt8(ascii: "?")
    }
    self.description = String(decoding: plain, as: UTF8.self)
  }
}
