/// Reads the text of a command's form, a character at a time.
struct CommandFormReader {
  private let characters: [Unicode.Scalar]
  /// The numbers that need no range: `{pan}`.
  private let known: [CommandField]
  private var position = 0

  init(_ text: String, known: [CommandField] = []) {
    characters = Array(text.unicodeScalars)
    self.known = known
  }

  private var next: Unicode.Scalar? {
    position < characters.count ? characters[position] : nil
  }

  private func mistake(_ message: String, at offset: Int) -> CommandForm.Mistake {
    CommandForm.Mistake(column: offset + 1, message: message)
  }

  mutating func parts() throws(CommandForm.Mistake) -> [CommandForm.Part] {
    let isSpeltInBytes = Self.isSpeltInBytes(characters)
    var parts: [CommandForm.Part] = []
    while let scalar = next {
      guard parts.count < CommandForm.lengthMax else {
        throw mistake("expected at most \(CommandForm.lengthMax) bytes", at: position)
      }
      switch scalar {
      case "{": parts.append(try field())
      case "}":
        throw mistake("expected \"{\" before this \"}\"; \\} is the character", at: position)
      case " " where isSpeltInBytes: position += 1
      case _ where isSpeltInBytes:
        // The two digits after 0x.
        parts.append(.byte(UInt8(truncatingIfNeeded: hexadecimal(at: position + 2) ?? 0)))
        position += 4
      default: parts.append(.byte(try byte()))
      }
    }
    return parts
  }

  /// Whether a text consists of bytes such as `0xFF`, and fields, with or without spaces between.
  static func isSpeltInBytes(_ text: String) -> Bool {
    isSpeltInBytes(Array(text.unicodeScalars))
  }

  private static func isSpeltInBytes(_ text: [Unicode.Scalar]) -> Bool {
    var position = 0
    var hasBytes = false
    while position < text.count {
      switch text[position] {
      case " ": position += 1
      case "{":
        guard let end = end(ofFieldAt: position, in: text) else { return false }
        position = end + 1
      case "0":
        guard position + 3 < text.count, text[position + 1] == "x",
          hexadecimal(text[position + 2]) != nil, hexadecimal(text[position + 3]) != nil
        else { return false }
        hasBytes = true
        position += 4
      default: return false
      }
    }
    return hasBytes
  }

  /// Returns the place of the `}` that ends a field; nil if there is none.
  private static func end(ofFieldAt start: Int, in text: [Unicode.Scalar]) -> Int? {
    var position = start + 1
    while position < text.count, text[position] != "}" {
      position += text[position] == "\\" ? 2 : 1
    }
    return position < text.count ? position : nil
  }

  /// Returns the value of two hexadecimal digits; nil if they are not there.
  private func hexadecimal(at place: Int) -> UInt32? {
    guard place + 1 < characters.count, let high = Self.hexadecimal(characters[place]),
      let low = Self.hexadecimal(characters[place + 1])
    else { return nil }
    return high << 4 | low
  }

  /// Takes a character, or an escape for one.
  private mutating func byte() throws(CommandForm.Mistake) -> UInt8 {
    let start = position
    guard let scalar = next else { throw mistake("expected a character", at: start) }
    position += 1
    guard scalar == "\\" else {
      guard scalar.value <= 0xFF else {
        throw mistake("expected a byte: a character up to U+00FF", at: start)
      }
      return UInt8(scalar.value)
    }
    let escape = next
    position += 1
    switch escape {
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "\\": return UInt8(ascii: "\\")
    case "{": return UInt8(ascii: "{")
    case "}": return UInt8(ascii: "}")
    case "x":
      guard let value = hexadecimal(at: position) else {
        throw mistake("expected two hexadecimal digits after \\x, such as \\x0a", at: start)
      }
      position += 2
      return UInt8(truncatingIfNeeded: value)
    default:
      throw mistake("expected \\n, \\r, \\t, \\\\, \\{, \\} or \\x with two digits", at: start)
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

  private static let fieldExample =
    "{pan:0..180}, {pan:3} for 3 digits, {pan:u8} for a byte or {pan:u16le} for two"

  private mutating func field() throws(CommandForm.Mistake) -> CommandForm.Part {
    let start = position
    guard let end = Self.end(ofFieldAt: start, in: characters) else {
      throw mistake("expected \"}\" after this \"{\"; \\{ is the character", at: start)
    }
    defer { position = end + 1 }
    if let choice = try choice(until: end) { return choice }
    let text = characters[(start + 1)..<end]
    guard let colon = text.firstIndex(of: ":") else { return try word(text, at: start) }
    let name = Self.string(text[..<colon])
    guard ProfileName.isValid(name) else {
      throw mistake("expected \(ProfileName.rule) as the number's name", at: start + 1)
    }
    let words = Self.words(text[(colon + 1)...])
    let kind = words.first ?? ""
    if kind == "byte" || kind == "u8" {
      let range = try range(words.dropFirst(), within: 0...255, "a byte's", at: start)
      return .single(CommandField(name, range))
    }
    if let packing = CommandForm.Packing(rawValue: kind) {
      let range = try range(words.dropFirst(), within: packing.limits, "\(kind)'s", at: start)
      return .packed(CommandField(name, range), packing)
    }
    // `0 .. 180` is a range, `3 0..180` three digits with a range.
    let isRange = words.count > 1 && words[1].utf8.first == UInt8(ascii: ".")
    if !isRange, kind.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let width = Int(kind) {
      guard (1...CommandField.widthMax).contains(width) else {
        throw mistake(
          "expected 1 to \(CommandField.widthMax) digits, or a range: \(Self.fieldExample)",
          at: start)
      }
      let limits = CommandField.range(ofDigits: width)
      let least = width == 1 ? 0 : -CommandField.range(ofDigits: width - 1).upperBound
      guard words.count > 1 else { return .digits(CommandField(name, limits), width: width) }
      let range = try range(
        words.dropFirst(), within: least...limits.upperBound, "\(width) characters'", at: start)
      return .digits(CommandField(name, range), width: width)
    }
    return .number(try number(name, words.joined(), at: start))
  }

  /// Reads a number in decimal digits: `0..180`, `-1.50..1.50`.
  private func number(
    _ name: String, _ text: String, at start: Int
  ) throws(CommandForm.Mistake) -> CommandField {
    guard let (low, high) = Self.ends(text), let lowest = Self.decimal(low),
      let highest = Self.decimal(high)
    else { throw mistake("expected a range: \(Self.fieldExample)", at: start) }
    let decimals = max(lowest.decimals, highest.decimals)
    guard let least = Self.scaled(lowest, to: decimals),
      let most = Self.scaled(highest, to: decimals)
    else {
      throw mistake(
        "expected a range with at most \(CommandField.decimalsMax) decimals, and 9 digits",
        at: start)
    }
    guard least <= most else {
      throw mistake("expected a range from low to high, found \(low)..\(high)", at: start)
    }
    return CommandField(name, least...most, decimals: decimals)
  }

  /// Reads the range of whole numbers that follows a kind; without one, everything within limits.
  private func range(
    _ words: ArraySlice<String>, within limits: ClosedRange<Int32>, _ what: String, at start: Int
  ) throws(CommandForm.Mistake) -> ClosedRange<Int32> {
    if words.isEmpty { return limits }
    guard let (low, high) = Self.ends(words.joined()), let least = Int32(low),
      let most = Int32(high)
    else { throw mistake("expected a range: \(Self.fieldExample)", at: start) }
    guard least <= most else {
      throw mistake("expected a range from low to high, found \(low)..\(high)", at: start)
    }
    guard limits.contains(least), limits.contains(most) else {
      throw mistake(
        "expected \(what) range within \(limits.lowerBound)..\(limits.upperBound), found "
          + "\(low)..\(high)", at: start)
    }
    return least...most
  }

  /// Takes `{\r?}`, a byte that can be missing, or `{P|p}`, any one of some bytes; nil if the field
  /// is neither.
  private mutating func choice(
    until end: Int
  ) throws(CommandForm.Mistake) -> CommandForm.Part? {
    let start = position
    defer { position = start }
    position += 1
    guard position < end else { return nil }
    var bytes: [UInt8] = []
    while position < end {
      // A name is longer than a byte, so what is not followed by one of these is another field.
      guard let byte = try? byte(), position <= end else { return nil }
      bytes.append(byte)
      if position == end { break }
      switch characters[position] {
      case "?" where position + 1 == end && bytes.count == 1: return .optional(byte)
      case "|" where position + 1 < end: position += 1
      default: return nil
      }
    }
    guard bytes.count > 1 else { return nil }
    guard Set(bytes).count == bytes.count else {
      throw mistake("expected each of the bytes once, such as {P|p}", at: start)
    }
    return .either(bytes)
  }

  /// Reads a field without a name: a checksum, or a pause.
  private func word(
    _ text: ArraySlice<Unicode.Scalar>, at start: Int
  ) throws(CommandForm.Mistake) -> CommandForm.Part {
    var words = Self.words(text)[...]
    let word = words.popFirst() ?? ""
    if words.isEmpty, let field = known.first(where: { $0.name == word }) { return .number(field) }
    if word == "pause" {
      guard !words.isEmpty else { return .pause(CommandForm.usualPause) }
      guard let pause = Self.time(words.joined()), CommandForm.pauses.contains(pause) else {
        throw mistake("expected a time of 1ms to 60s, such as {pause 100ms}", at: start)
      }
      return .pause(pause)
    }
    guard let kind = CommandChecksum.Kind(rawValue: word) else {
      throw mistake(
        "expected a number with its range: \(Self.fieldExample); or {pause}, {sum}, {xor}, "
          + "{complement}, {negative}, {\\r?}, {P|p}", at: start)
    }
    var checksum = CommandChecksum(kind)
    if words.first == "hex" {
      checksum.isHexadecimal = true
      words.removeFirst()
    }
    guard !words.isEmpty else { return .checksum(checksum) }
    guard let (low, high) = Self.ends(words.joined(), isOpen: true), let first = Int(low),
      let last = high.isEmpty ? -1 : Int(high), (1...CommandForm.lengthMax).contains(first),
      last < 0 ? last >= -CommandForm.lengthMax : (first...CommandForm.lengthMax).contains(last)
    else {
      throw mistake(
        "expected the bytes that the checksum covers, counted from 1, or from the end if negative: "
          + "{\(word) 2..}, {\(word) 2..4} or {\(word) 1..-2}", at: start)
    }
    (checksum.first, checksum.last) = (first, last)
    return .checksum(checksum)
  }

  private static func time(_ text: String) -> Interval? {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard digits.count <= 6, let count = Int64(String(decoding: digits, as: UTF8.self)) else {
      return nil
    }
    switch String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self) {
    case "ms": return .milliseconds(count)
    case "s": return .seconds(count)
    default: return nil
    }
  }

  /// Splits a range at its `..`; nil if there is none. `isOpen`: the end can be missing.
  private static func ends(_ text: String, isOpen: Bool = false) -> (low: String, high: String)? {
    let bytes = Array(text.utf8)
    let dot = UInt8(ascii: ".")
    guard
      let dots = bytes.indices.dropLast().first(where: { bytes[$0] == dot && bytes[$0 + 1] == dot }
      ),
      dots > 0, isOpen || dots + 2 < bytes.count
    else { return nil }
    return (
      String(decoding: bytes[..<dots], as: UTF8.self),
      String(decoding: bytes[(dots + 2)...], as: UTF8.self)
    )
  }

  /// Reads a number with or without decimals: its digits as a whole number, and how many of them
  /// are decimals.
  private static func decimal(_ text: String) -> (digits: Int32, decimals: Int)? {
    let bytes = Array(text.utf8)
    guard let point = bytes.firstIndex(of: UInt8(ascii: ".")) else {
      return Int32(text).map { ($0, 0) }
    }
    let fraction = bytes[(point + 1)...]
    guard point > 0, (0x30...0x39).contains(bytes[point - 1]), !fraction.isEmpty,
      fraction.allSatisfy({ (0x30...0x39).contains($0) }),
      let digits = Int32(String(decoding: bytes[..<point] + fraction, as: UTF8.self))
    else { return nil }
    return (digits, fraction.count)
  }

  private static func scaled(_ number: (digits: Int32, decimals: Int), to decimals: Int) -> Int32? {
    guard decimals <= CommandField.decimalsMax else { return nil }
    var value = Int64(number.digits)
    for _ in number.decimals..<decimals { value *= 10 }
    return Int32(exactly: value)
  }

  private static func words(_ text: ArraySlice<Unicode.Scalar>) -> [String] {
    text.split(separator: " ").map { string($0) }
  }

  private static func string(_ text: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text)
    return String(view)
  }
}

extension CommandForm {
  /// Reads a form as a profile states it, without its line end. The numbers in `known` can be
  /// stated without their range.
  package init(_ text: String, known: [CommandField] = []) throws(Mistake) {
    var reader = CommandFormReader(text, known: known)
    self.init(try reader.parts())
  }

  /// Reads at least one byte, with escapes and without numbers.
  package static func bytes(_ text: String) throws(Mistake) -> [UInt8] {
    let form = try CommandForm(text)
    var bytes: [UInt8] = []
    for part in form.parts {
      guard case .byte(let byte) = part else {
        throw Mistake(column: 1, message: "expected bytes without numbers; \\{ is the character")
      }
      bytes.append(byte)
    }
    if bytes.isEmpty { throw Mistake(column: 1, message: "expected at least one byte") }
    return bytes
  }

  /// The reason why no sketch can have the whole form, with its line end; nil if there is none.
  package var problem: String? {
    guard let first = parts.first else { return "expected at least one byte" }
    switch first {
    case .optional: return "expected a command that begins with a byte that cannot be missing"
    case .pause: return "expected at least one byte before the pause"
    case .checksum: return "expected bytes before the checksum"
    default: break
    }
    guard longest <= Self.lengthMax else {
      return "expected a command of at most \(Self.lengthMax) bytes, found up to \(longest)"
    }
    for index in parts.indices {
      if let problem = problem(at: index) { return problem }
    }
    var names: Set<String> = []
    for field in fields where !names.insert(field.name).inserted {
      return "expected each name once; \"\(field.name)\" is there twice"
    }
    return nil
  }

  /// The reason why a part cannot be where it is; nil if there is none.
  private func problem(at index: Int) -> String? {
    switch parts[index] {
    case .number(let field):
      guard let next = bytesAfter(index), !next.contains(where: Self.canContinue(field)) else {
        return "expected a byte after {\(field.name)} that is neither a digit nor "
          + (field.decimals > 0 ? "\".\" nor " : "") + "\"-\", so that the number has an end, "
          + "for example \\n, or {pause}"
      }
    case .optional(let byte):
      guard let next = bytesAfter(index) else {
        return "expected more bytes after \(parts[index]), which can be missing"
      }
      if next.contains(byte) {
        return "expected another byte after \(parts[index]), which can be missing"
      }
    case .pause where index + 1 < parts.count: return "expected nothing after {pause}"
    default: break
    }
    return nil
  }

  private static func canContinue(_ field: CommandField) -> (UInt8) -> Bool {
    { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      case UInt8(ascii: "."): field.decimals > 0
      default: false
      }
    }
  }

  /// Returns the bytes that can follow a part, none if a pause follows; nil if nothing does.
  private func bytesAfter(_ index: Int) -> [UInt8]? {
    guard index + 1 < parts.count else { return nil }
    switch parts[index + 1] {
    case .byte(let byte): return [byte]
    case .either(let choices): return choices
    case .optional(let byte): return [byte] + (bytesAfter(index + 1) ?? [])
    case .number, .digits: return Array("0123456789-".utf8)
    case .single, .packed, .checksum: return Array(0...255)
    case .pause: return []
    }
  }
}
