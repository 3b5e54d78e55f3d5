import Judging
import Traces

/// Reads the YAML of a profile in a page, which has no libyaml: lists and mappings in lines or in
/// brackets, and texts of one line. What it reads, it reads as `YAMLText` does; anything else is
/// an error with its place.
struct PageYAML {
  /// The maximum size of a text, in bytes.
  private static var lengthMax: Int { 1 << 18 }
  /// How deep lists and mappings can be nested.
  private static var depthMax: Int { 64 }

  private let text: [Unicode.Scalar]
  private var position = 0
  private var line = 1
  private var column = 1
  private var depth = 0

  /// Returns the documents that contain anything, in order.
  static func documents(in bytes: [UInt8]) throws(NotationError) -> [Notation] {
    guard bytes.count <= lengthMax else {
      throw NotationError(.init(), "expected a file of at most \(lengthMax >> 10) KiB")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    // A byte order mark, with which some editors begin a file.
    var reader = PageYAML(Array(text.unicodeScalars.drop { $0 == "\u{FEFF}" }))
    var documents: [Notation] = []
    while true {
      try reader.skipToText()
      if reader.isAtMark { reader.skip(3) }
      guard let document = try reader.node(from: 1) else {
        if reader.isAtMark { continue }
        guard reader.next == nil else { throw reader.error("expected a key") }
        return documents
      }
      documents.append(document)
      try reader.skipToText()
      guard reader.next == nil || reader.isAtMark else {
        throw reader.error("expected a key, indented like those before it")
      }
    }
  }

  private init(_ text: [Unicode.Scalar]) { self.text = text }

  private var place: Notation.Place { .init(line: line, column: column) }
  private var next: Unicode.Scalar? { peek(0) }
  /// Whether a line begins that separates documents.
  private var isAtMark: Bool {
    column == 1 && (0..<3).allSatisfy { peek($0) == "-" } && isSpace(peek(3))
  }

  private func error(_ message: String) -> NotationError { NotationError(place, message) }

  private func peek(_ offset: Int) -> Unicode.Scalar? {
    position + offset < text.count ? text[position + offset] : nil
  }

  private func isSpace(_ scalar: Unicode.Scalar?) -> Bool {
    scalar == nil || scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
  }

  private mutating func skip(_ count: Int = 1) {
    for _ in 0..<count where position < text.count {
      if text[position] == "\n" { (line, column) = (line + 1, 0) }
      position += 1
      column += 1
    }
  }

  /// Skips spaces, and a comment after one or at the beginning of a line.
  private mutating func skipSpaces() {
    while next == " " || next == "\t" { skip() }
    guard next == "#", column == 1 || isSpace(peek(-1)) else { return }
    while next != nil, next != "\n" { skip() }
  }

  private var isAtLineEnd: Bool { next == nil || next == "\n" || next == "\r" }

  private mutating func skipToText() throws(NotationError) {
    while true {
      let (begin, isIndent, start) = (place, column == 1, position)
      skipSpaces()
      guard isAtLineEnd else {
        guard isIndent, text[start..<position].contains("\t") else { return }
        throw NotationError(begin, "a tab cannot indent a line; use spaces")
      }
      guard next != nil else { return }
      skip()
    }
  }

  // MARK: Lists and mappings in lines

  private var isAtItem: Bool { next == "-" && isSpace(peek(1)) }

  /// Reads what begins in this column or further right; nil if nothing does.
  private mutating func node(from least: Int) throws(NotationError) -> Notation? {
    try skipToText()
    guard next != nil, column >= least, !isAtMark else { return nil }
    let start = place
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else {
      throw error("expected at most \(Self.depthMax) levels of lists and mappings")
    }
    if isAtItem { return .list(try items(in: start.column), start) }
    let first = try inline(inFlow: false)
    skipSpaces()
    guard next == ":", isSpace(peek(1)), line == start.line else {
      try expectLineEnd()
      return first
    }
    return .mapping(try members(in: start.column, first), start)
  }

  private mutating func items(in list: Int) throws(NotationError) -> [Notation] {
    var items: [Notation] = []
    while isAtItem, column == list, !isAtMark {
      skip()
      let empty = place
      items.append(try node(from: list + 1) ?? .text("", empty))
      try skipToText()
    }
    if next != nil, column > list { throw error("expected '-', indented like those before it") }
    return items
  }

  private mutating func members(
    in mapping: Int, _ first: Notation
  ) throws(NotationError) -> [Notation.Member] {
    var members: [Notation.Member] = []
    var key = first
    while true {
      skipSpaces()
      guard next == ":", isSpace(peek(1)) else { throw error("expected ':' after the key") }
      skip()
      let empty = place
      skipSpaces()
      var value: Notation?
      if isAtLineEnd {
        try skipToText()
        // The items of a list can begin below the key.
        value = try node(from: isAtItem ? mapping : mapping + 1)
      } else {
        value = try inline(inFlow: false)
        try expectLineEnd()
      }
      try add(key, value ?? .text("", empty), to: &members)
      try skipToText()
      guard next != nil, column >= mapping, !isAtMark else { return members }
      guard column == mapping, !isAtItem else {
        throw error("expected a key, indented like those before it")
      }
      key = try inline(inFlow: false)
    }
  }

  private func add(
    _ key: Notation, _ value: Notation, to members: inout [Notation.Member]
  ) throws(NotationError) {
    guard case .text(let word, let place) = key else {
      throw NotationError(key.place, "expected a word as the key, not a list or a mapping")
    }
    guard !members.contains(where: { $0.key == word }) else {
      throw NotationError(
        place, "expected each key once; \(PlainText.quoted(word)) is there twice")
    }
    members.append(.init(word, at: place, value))
  }

  private mutating func expectLineEnd() throws(NotationError) {
    skipSpaces()
    guard !isAtLineEnd else { return }
    guard next == ":" else { throw error("expected the end of the line") }
    throw error("':' is not allowed here; a text that contains \": \" requires quotes")
  }

  // MARK: What is on one line, or in brackets

  private mutating func inline(inFlow: Bool) throws(NotationError) -> Notation {
    let start = place
    switch next {
    case "[": return .list(try flowItems(), start)
    case "{": return .mapping(try flowMembers(), start)
    case "\"", "'": return .text(try quoted(), start)
    case "&": throw error("anchors are not supported; put a text with '&' in quotes")
    case "*": throw error("aliases are not supported; put a text with '*' in quotes")
    case "!": throw error("tags are not supported; put a text with '!' in quotes")
    case "|", ">": throw error("a text of several lines is not supported here; use \"\\n\"")
    case ",", "]", "}", "#", "%", "@", "`", "\t":
      throw error("no text can begin with this character; put the text in quotes")
    case "-", "?", ":":
      guard !isSpace(peek(1)) else { throw error("expected a value") }
      return .text(plain(inFlow: inFlow), start)
    default: return .text(plain(inFlow: inFlow), start)
    }
  }

  private mutating func plain(inFlow: Bool) -> String {
    var found = String.UnicodeScalarView()
    while !isAtLineEnd, let scalar = next {
      if scalar == "#", isSpace(peek(-1)) { break }
      if scalar == ":", isSpace(peek(1)) || inFlow && Self.isFlow(peek(1)) { break }
      if inFlow, Self.isFlow(scalar) { break }
      found.append(scalar)
      skip()
    }
    while let last = found.last, last == " " || last == "\t" { found.removeLast() }
    return String(found)
  }

  private static func isFlow(_ scalar: Unicode.Scalar?) -> Bool {
    scalar == "," || scalar == "[" || scalar == "]" || scalar == "{" || scalar == "}"
  }

  private mutating func flowItems() throws(NotationError) -> [Notation] {
    var items: [Notation] = []
    try flow(until: "]") { (reader: inout PageYAML) throws(NotationError) in
      items.append(try reader.inline(inFlow: true))
    }
    return items
  }

  private mutating func flowMembers() throws(NotationError) -> [Notation.Member] {
    var members: [Notation.Member] = []
    try flow(until: "}") { (reader: inout PageYAML) throws(NotationError) in
      let isQuoted = reader.next == "\"" || reader.next == "'"
      let key = try reader.inline(inFlow: true)
      try reader.skipToText()
      guard reader.next == ":", isQuoted || reader.isSpace(reader.peek(1)) else {
        throw reader.error("expected ':' after the key")
      }
      reader.skip()
      try reader.skipToText()
      try reader.add(key, try reader.inline(inFlow: true), to: &members)
    }
    return members
  }

  /// Reads what commas separate, up to the closing bracket.
  private mutating func flow(
    until end: Unicode.Scalar, _ read: (inout PageYAML) throws(NotationError) -> Void
  ) throws(NotationError) {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else {
      throw error("expected at most \(Self.depthMax) levels of lists and mappings")
    }
    skip()
    while true {
      try skipToText()
      if next == end { break }
      try read(&self)
      try skipToText()
      guard next == "," else {
        guard next == end else { throw error("expected ',' or '\(end)'") }
        break
      }
      skip()
    }
    skip()
  }

  private mutating func quoted() throws(NotationError) -> String {
    let start = place
    let quote = next
    var found = String.UnicodeScalarView()
    skip()
    while let scalar = next {
      guard !isAtLineEnd else {
        throw NotationError(start, "the quoted text has no end on its line")
      }
      if scalar == quote {
        skip()
        // In single quotes, two of them are one.
        guard quote == "'", next == "'" else { return String(found) }
      } else if quote == "\"", scalar == "\\" {
        found.append(try escape())
        continue
      }
      found.append(scalar)
      skip()
    }
    throw NotationError(start, "the quoted text has no end")
  }

  private mutating func escape() throws(NotationError) -> Unicode.Scalar {
    skip()
    let letter = next
    defer { skip() }
    switch letter {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "0": return "\0"
    case "a": return "\u{07}"
    case "b": return "\u{08}"
    case "v": return "\u{0B}"
    case "f": return "\u{0C}"
    case "e": return "\u{1B}"
    case "\"", "\\", "/", " ": return letter ?? " "
    case "x", "u", "U":
      var value: UInt32 = 0
      for _ in 0..<(letter == "x" ? 2 : letter == "u" ? 4 : 8) {
        guard let digit = peek(1), let number = Self.hexadecimal(digit) else {
          throw error("expected hexadecimal digits in this escape")
        }
        value = value << 4 | number
        skip()
      }
      guard let scalar = Unicode.Scalar(value) else {
        throw error("there is no character with this code")
      }
      return scalar
    default:
      throw error("there is no such escape after '\\'; in single quotes it is text")
    }
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> UInt32? {
    switch scalar {
    case "0"..."9": scalar.value - 0x30
    case "a"..."f": scalar.value - 0x61 + 10
    case "A"..."F": scalar.value - 0x41 + 10
    default: nil
    }
  }
}
