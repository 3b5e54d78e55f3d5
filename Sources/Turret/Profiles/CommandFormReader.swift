/// Reads the text of a command's form, a character at a time.
struct CommandFormReader {
  private let characters: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { characters = Array(text.unicodeScalars) }

  private var next: Unicode.Scalar? {
    position < characters.count ? characters[position] : nil
  }

  private func mistake(_ message: String, at offset: Int) -> CommandForm.Mistake {
    CommandForm.Mistake(column: offset + 1, message: message)
  }

  mutating func parts() throws(CommandForm.Mistake) -> [CommandForm.Part] {
    var parts: [CommandForm.Part] = []
    while let scalar = next {
      guard parts.count < CommandForm.lengthMax else {
        throw mistake("expected at most \(CommandForm.lengthMax) bytes", at: position)
      }
      switch scalar {
      case "{": parts.append(try field())
      case "}":
        throw mistake("expected \"{\" before this \"}\"; \\} is the character", at: position)
      default: parts.append(.byte(try byte()))
      }
    }
    return parts
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
      var value: UInt32 = 0
      for _ in 0..<2 {
        guard let digit = next.flatMap({ Self.hexadecimal($0) }) else {
          throw mistake("expected two hexadecimal digits after \\x, such as \\x0a", at: start)
        }
        value = value << 4 | digit
        position += 1
      }
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

  private static let fieldExample = "{pan:0..180}, or {pan:byte} for a number of one byte"

  /// Takes a field in braces.
  private mutating func field() throws(CommandForm.Mistake) -> CommandForm.Part {
    let start = position
    position += 1
    var text: [Unicode.Scalar] = []
    while let scalar = next, scalar != "}" {
      text.append(scalar)
      position += 1
    }
    guard next != nil else {
      throw mistake("expected \"}\" after this \"{\"; \\{ is the character", at: start)
    }
    position += 1
    guard let colon = text.firstIndex(of: ":") else {
      throw mistake("expected a number with its range: \(Self.fieldExample)", at: start)
    }
    let name = Self.string(text[..<colon])
    guard ProfileName.isValid(name) else {
      throw mistake("expected \(ProfileName.rule) as the number's name", at: start + 1)
    }
    var range = Self.trimmed(text[(colon + 1)...])
    let isByte = range.starts(with: "byte".unicodeScalars)
    if isByte { range = Self.trimmed(range.dropFirst(4)) }
    if isByte && range.isEmpty { return .single(CommandField(name, 0...255)) }
    guard
      let dots = range.indices.dropLast().first(where: { range[$0] == "." && range[$0 + 1] == "." }
      ),
      let low = Int32(Self.string(Self.trimmed(range[..<dots]))),
      let high = Int32(Self.string(Self.trimmed(range[(dots + 2)...])))
    else { throw mistake("expected a range: \(Self.fieldExample)", at: start) }
    guard low <= high else {
      throw mistake("expected a range from low to high, found \(low)..\(high)", at: start)
    }
    guard isByte else { return .number(CommandField(name, low...high)) }
    guard low >= 0, high <= 255 else {
      throw mistake("expected a byte's range within 0..255, found \(low)..\(high)", at: start)
    }
    return .single(CommandField(name, low...high))
  }

  private static func trimmed(_ text: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }

  private static func string(_ text: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text)
    return String(view)
  }
}

extension CommandForm {
  /// Reads a form as a profile states it, without its line end.
  package init(_ text: String) throws(Mistake) {
    var reader = CommandFormReader(text)
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
    guard case .byte = first else {
      return "expected a byte before the first number: the letter that begins the command"
    }
    guard longest <= Self.lengthMax else {
      return "expected a command of at most \(Self.lengthMax) bytes, found up to \(longest)"
    }
    for (index, part) in parts.enumerated() {
      guard case .number(let field) = part else { continue }
      let next = index + 1 < parts.count ? parts[index + 1] : nil
      switch next {
      case .byte(UInt8(ascii: "0")...UInt8(ascii: "9")), .byte(UInt8(ascii: "-")), .number,
        .single, nil:
        return "expected a byte after {\(field.name)} that is neither a digit nor \"-\", so that "
          + "the number has an end, for example \\n"
      case .byte: break
      }
    }
    var names: Set<String> = []
    for field in fields where !names.insert(field.name).inserted {
      return "expected each name once; \"\(field.name)\" is there twice"
    }
    return nil
  }
}
