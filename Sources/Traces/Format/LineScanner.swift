import Sketches

/// Parses the JSON of one line, or of a file that is one value. It is strict, and an error names
/// the column and what was expected there.
package struct LineScanner {
  /// A syntax error: the place, as an offset in bytes, and what was expected there.
  package struct Failure: Error {
    package var offset: Int
    package var message: String

    package init(offset: Int, message: String) {
      self.offset = offset
      self.message = PlainText.of(message)
    }
  }

  let bytes: UnsafeRawBufferPointer
  package internal(set) var position = 0
  private static let depthMax = 64
  /// Every time is below this, so that the sum of a few still fits in nanoseconds.
  static let secondsLimit: Int64 = 1_000_000_000

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  // MARK: Building blocks

  var isAtEnd: Bool { position == bytes.count }

  @inline(__always)
  package mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      // A line contains no newline, but a file that is one value can.
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  @inline(__always)
  func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Takes a punctuation mark and any space before it.
  @inline(__always)
  package mutating func take(_ mark: Unicode.Scalar, _ what: StaticString) throws(Failure) {
    try expectNext(mark, what)
    position += 1
  }

  /// Fails if a punctuation mark is not next. Takes nothing.
  package mutating func expectNext(_ mark: Unicode.Scalar, _ what: StaticString) throws(Failure) {
    skipSpace()
    guard peek() == UInt8(ascii: mark) else { throw expected(what) }
  }

  /// Takes a punctuation mark if it is next.
  @inline(__always)
  package mutating func takeIf(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    guard peek() == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  package mutating func takeEnd() throws(Failure) {
    skipSpace()
    guard isAtEnd else { throw expected("the end of the line") }
  }

  package func expected(_ what: StaticString) -> Failure {
    Failure(offset: position, message: "expected \(what), found \(found)")
  }

  private var found: String {
    guard let byte = peek() else { return "the end of the line" }
    switch byte {
    case 0x21...0x7E: return "'\(Character(Unicode.Scalar(byte)))'"
    case 0x20: return "a space"
    default:
      return "the byte 0x\(String(byte, radix: 16, digits: 2, uppercase: true))"
    }
  }

  // MARK: Strings

  /// Takes a string that is plain ASCII without escapes and returns the text between the quotes
  /// without copying it. Otherwise returns nil and takes nothing.
  @inline(__always)
  mutating func takePlainString() -> UnsafeRawBufferPointer? {
    skipSpace()
    guard peek() == 0x22 else { return nil }
    var end = position + 1
    while end < bytes.count {
      let byte = bytes[end]
      if byte == 0x22 {
        defer { position = end + 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[position + 1..<end])
      }
      guard byte >= 0x20, byte < 0x7F, byte != 0x5C else { return nil }
      end += 1
    }
    return nil
  }

  /// Takes a string whose characters are the bytes U+0000..U+00FF.
  mutating func takeBytes(_ what: StaticString) throws(Failure) -> [UInt8] {
    if let plain = takePlainString() { return [UInt8](plain) }
    var result: [UInt8] = []
    try takeString(what) { (scalar, offset) throws(Failure) in
      guard scalar.value <= 0xFF else {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        throw Failure(
          offset: offset,
          message: "expected characters from U+0000 to U+00FF (bytes), found U+\(digits)")
      }
      result.append(UInt8(scalar.value))
    }
    return result
  }

  package mutating func takeText(_ what: StaticString) throws(Failure) -> String {
    var result = String.UnicodeScalarView()
    try takeString(what) { (scalar, _) throws(Failure) in result.append(scalar) }
    return String(result)
  }

  /// Takes a string that `parse` understands. `what` is the error for anything but a string, `noun`
  /// that for another one.
  mutating func takeText<Value>(
    _ what: StaticString, expected noun: @autoclosure () -> String, _ parse: (String) -> Value?
  ) throws(Failure) -> Value {
    skipSpace()
    let offset = position
    let text = try takeText(what)
    guard let value = parse(text) else {
      throw Failure(
        offset: offset, message: "expected \(noun()), found \(PlainText.quoted(text))")
    }
    return value
  }

  /// Takes one of the words of a type. The message for another one has all of them after `noun`.
  mutating func takeWord<Word: CaseIterable & RawRepresentable<String>>(
    _ what: StaticString, of _: Word.Type, _ noun: String = "", separator: String = ", "
  ) throws(Failure) -> Word {
    try takeText(
      what,
      expected: noun
        + Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: separator)
    ) { Word(rawValue: $0) }
  }

  private mutating func takeString(
    _ what: StaticString, _ body: (Unicode.Scalar, Int) throws(Failure) -> Void
  ) throws(Failure) {
    skipSpace()
    guard peek() == 0x22 else { throw expected(what) }
    position += 1
    while true {
      let start = position
      guard let byte = peek() else { throw expected("the string's closing quote") }
      switch byte {
      case 0x22:
        position += 1
        return
      case 0x5C:
        position += 1
        try body(try takeEscape(), start)
      case 0x00..<0x20:
        throw expected("control characters in strings written as \\u00xx")
      case 0x20..<0x80:
        position += 1
        try body(Unicode.Scalar(byte), start)
      default:
        try body(try takeUTF8(), start)
      }
    }
  }

  private mutating func takeEscape() throws(Failure) -> Unicode.Scalar {
    guard let letter = peek() else { throw expected("an escape") }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try takeHexadecimal()
      if let scalar = Unicode.Scalar(unit) { return scalar }
      // The first half of a surrogate pair. The other half must follow.
      if unit < 0xDC00, peek() == 0x5C, position + 1 < bytes.count, bytes[position + 1] == 0x75 {
        position += 2
        let low = try takeHexadecimal()
        if low >= 0xDC00, low <= 0xDFFF {
          let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
          if let scalar = Unicode.Scalar(value) { return scalar }
        }
      }
      throw Failure(offset: position, message: "expected the other half of a surrogate pair")
    default:
      position -= 1
      throw expected("an escape (\\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four digits)")
    }
  }

  private mutating func takeHexadecimal() throws(Failure) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw expected("four hexadecimal digits")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }

  private mutating func takeUTF8() throws(Failure) -> Unicode.Scalar {
    var decoder = UTF8()
    var iterator = bytes[position..<min(position + 4, bytes.count)].makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
      throw expected("text in UTF-8")
    }
    position += UTF8.width(scalar)
    return scalar
  }

  // MARK: Values

  package mutating func takeValue(depth: Int = 0) throws(Failure) -> JSONValue {
    skipSpace()
    guard depth < Self.depthMax else {
      throw Failure(
        offset: position, message: "expected at most \(Self.depthMax) levels of nesting")
    }
    switch peek() {
    case UInt8(ascii: "\""): return .string(try takeText("a string"))
    case UInt8(ascii: "{"): return .object(try takeMembers(depth: depth))
    case UInt8(ascii: "["):
      position += 1
      var items: [JSONValue] = []
      if takeIf("]") { return .array(items) }
      repeat { items.append(try takeValue(depth: depth + 1)) } while takeIf(",")
      try take("]", "',' or ']'")
      return .array(items)
    case UInt8(ascii: "t"): return try takeWord("true", .bool(true))
    case UInt8(ascii: "f"): return try takeWord("false", .bool(false))
    case UInt8(ascii: "n"): return try takeWord("null", .null)
    default: return .number(JSONValue.shortest(try takeNumber("a JSON value")))
    }
  }

  private mutating func takeMembers(depth: Int) throws(Failure) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    try takeObject { (key, _, scanner) throws(Failure) in
      members.append(JSONValue.Member(key, try scanner.takeValue(depth: depth + 1)))
    }
    return members
  }

  /// Takes an object. `member` is called for each key, with the key's offset, and takes the value.
  package mutating func takeObject(
    _ member: (String, Int, inout LineScanner) throws(Failure) -> Void
  ) throws(Failure) {
    try take("{", "'{'")
    if takeIf("}") { return }
    var keys: Set<String> = []
    repeat {
      skipSpace()
      let offset = position
      let key = try takeText("a key in quotes")
      guard keys.insert(key).inserted else {
        throw Failure(
          offset: offset, message: "expected each key once, found \(PlainText.quoted(key)) again")
      }
      try take(":", "':'")
      try member(key, offset, &self)
    } while takeIf(",")
    try take("}", "',' or '}'")
  }

  private mutating func takeWord(
    _ word: StaticString, _ value: JSONValue
  ) throws(Failure) -> JSONValue {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count,
      bytes[position..<end].elementsEqual(
        UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    else { throw expected("a JSON value") }
    position = end
    return value
  }
}

extension LineScanner {
  mutating func takeByte() throws(Failure) -> UInt8 {
    skipSpace()
    let offset = position
    let bytes = try takeBytes("one byte in quotes")
    guard bytes.count == 1 else {
      throw Failure(offset: offset, message: "expected one byte, found \(bytes.count)")
    }
    return bytes[0]
  }
}

extension LineScanner {
  /// Takes an object some of whose keys are known. `member` is called for each known key with its
  /// index and takes the value. Other keys are skipped with their values. A known key must not
  /// occur twice.
  ///
  /// Returns the known keys that are present, one bit each. `keys` are ASCII, at most 64.
  package mutating func takeObject(
    _ what: StaticString, keys: [StaticString],
    _ member: (Int, inout LineScanner) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    try take("{", what)
    if takeIf("}") { return 0 }
    var seen: UInt64 = 0
    var others: Set<String> = []
    repeat {
      skipSpace()
      let offset = position
      var index: Int?
      var other: String?
      if let plain = takePlainString() {
        index = keys.firstIndex { Self.isSame(plain, $0) }
        if index == nil { other = String(decoding: plain, as: UTF8.self) }
      } else {
        let text = try takeText("a key in quotes")
        index = keys.firstIndex { $0.description == text }
        if index == nil { other = text }
      }
      let isNew = index.map { seen & (1 << $0) == 0 } ?? others.insert(other ?? "").inserted
      guard isNew else {
        let key = index.map { keys[$0].description } ?? other ?? ""
        throw Failure(
          offset: offset, message: "expected each key once, found \(PlainText.quoted(key)) again")
      }
      try take(":", "':'")
      if let index {
        seen |= 1 << index
        try member(index, &self)
      } else {
        _ = try takeValue()
      }
    } while takeIf(",")
    try take("}", "',' or '}'")
    return seen
  }

  @inline(__always)
  private static func isSame(_ text: UnsafeRawBufferPointer, _ key: StaticString) -> Bool {
    guard text.count == key.utf8CodeUnitCount else { return false }
    for index in 0..<text.count where text[index] != key.utf8Start[index] { return false }
    return true
  }

  package mutating func takeList(
    _ what: StaticString, _ item: (inout LineScanner) throws(Failure) -> Void
  ) throws(Failure) {
    try take("[", what)
    if takeIf("]") { return }
    repeat { try item(&self) } while takeIf(",")
    try take("]", "',' or ']'")
  }
}
