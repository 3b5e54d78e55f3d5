/// The form of a command: bytes, and numbers between them.
///
///     P{pan:0..180},{tilt:0..180}\n     two numbers in digits, and the end of a line
///     F                                 complete at its last byte
///     \x84{servo:byte 0..5}{to:byte}    two numbers of one byte each
///     0xFF {pan:u8} {to:u16le} {sum}    the same kind, spelt in bytes, with a checksum
///     {pan:3}{tilt:3}{pause}            three digits each, and nothing after them for a second
package struct CommandForm: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case byte(UInt8)
    /// Any one of these bytes, such as a letter in either case. The first is the usual one.
    case either([UInt8])
    /// A byte that can be missing.
    case optional(UInt8)
    /// A number in decimal digits, after a `-` if it is negative.
    case number(CommandField)
    /// A number in this many characters: digits with leading zeros, after a `-` if it is negative.
    case digits(CommandField, width: Int)
    /// A number sent as one byte.
    case single(CommandField)
    /// A number sent as one or two bytes, in another way.
    case packed(CommandField, Packing)
    case checksum(CommandChecksum)
    /// The end of a command after which nothing follows for this long.
    case pause(Interval)
  }

  /// How a number is sent in bytes. The raw value is the word in a profile.
  package enum Packing: String, Hashable, Sendable, CaseIterable {
    case i8, u16le, u16be, i16le, i16be

    package var count: Int { self == .i8 ? 1 : 2 }

    package var limits: ClosedRange<Int32> {
      switch self {
      case .i8: -128...127
      case .u16le, .u16be: 0...65_535
      case .i16le, .i16be: -32_768...32_767
      }
    }

    private var isLowFirst: Bool { self == .u16le || self == .i16le }

    /// Returns the bytes of a number, of which only the low bits are used.
    package func bytes(of value: Int32) -> [UInt8] {
      let low = UInt8(truncatingIfNeeded: value)
      let high = UInt8(truncatingIfNeeded: value >> 8)
      return count == 1 ? [low] : isLowFirst ? [low, high] : [high, low]
    }

    /// Returns the number that bytes are, in the order in which they arrived as a big-endian value.
    func value(ofArrived arrived: Int64) -> Int64 {
      switch self {
      case .i8: Int64(Int8(truncatingIfNeeded: arrived))
      case .u16be: arrived
      case .u16le: Int64(UInt16(truncatingIfNeeded: arrived).byteSwapped)
      case .i16be: Int64(Int16(truncatingIfNeeded: arrived))
      case .i16le: Int64(Int16(truncatingIfNeeded: arrived).byteSwapped)
      }
    }
  }

  package struct Mistake: Error, Hashable, Sendable {
    /// The character, counted from 1.
    package var column: Int
    package var message: String
  }

  /// The longest command, in bytes.
  package static let lengthMax = 200
  /// The pause that ends a command if a profile states none: the timeout of Arduino's `Stream`.
  package static let usualPause = Interval.seconds(1)
  /// The shortest and the longest pause that can end a command.
  package static let pauses = Interval.milliseconds(1)...Interval.seconds(60)

  package private(set) var parts: [Part]
  /// Whether a newer command of this form can replace one that is waiting.
  package var isReplaceable: Bool
  /// What the sketch sends after it; nil if the profile does not state it.
  package var answer: CommandAnswer?

  package init(_ parts: [Part], isReplaceable: Bool = false) {
    self.parts = parts
    self.isReplaceable = isReplaceable
  }

  package func ends(with end: [Part]) -> Bool {
    parts.count >= end.count && parts.suffix(end.count).elementsEqual(end)
  }

  package mutating func append(_ end: [Part]) { parts += end }

  /// The form in which each letter can have either case.
  package var ignoringCase: CommandForm {
    CommandForm(
      parts.map { part in
        guard case .byte(let byte) = part, (0x41...0x5A).contains(byte & ~0x20) else { return part }
        return .either([byte, byte ^ 0x20])
      }, isReplaceable: isReplaceable)
  }

  /// Whether all these bytes are one command of this form.
  package func matches(_ bytes: [UInt8]) -> Bool {
    Profile(name: "", commands: [self]).form(of: bytes) != nil
  }

  package var fields: [CommandField] {
    parts.compactMap { part in
      switch part {
      case .byte, .either, .optional, .checksum, .pause: nil
      case .number(let field), .digits(let field, _), .single(let field), .packed(let field, _):
        field
      }
    }
  }

  /// How long nothing must follow the command; nil if it is complete at its last byte.
  package var pause: Interval? {
    if case .pause(let pause)? = parts.last { pause } else { nil }
  }

  /// The length of its longest command, in bytes.
  package var longest: Int { parts.reduce(0) { $0 + $1.longest } }

  /// Returns the command with these numbers, in the order of its fields; a missing one is the
  /// smallest. Numbers that do not fit are clamped. Bytes that can be missing are left out.
  package func bytes(_ values: [Int32]) -> [UInt8] {
    var rest = values[...]
    var bytes: [UInt8] = []
    func next(_ field: CommandField) -> Int32 { rest.popFirst() ?? field.range.lowerBound }
    for part in parts {
      switch part {
      case .byte(let byte): bytes.append(byte)
      case .either(let choices): bytes += choices.prefix(1)
      case .optional, .pause: break
      case .number(let field): bytes += Array(field.text(of: next(field)).utf8)
      case .digits(let field, let width):
        let value = next(field)
        let digits = Array("\(value.magnitude)".utf8)
        let room = width - (value < 0 ? 1 : 0)
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes += [UInt8](repeating: UInt8(ascii: "0"), count: max(0, room - digits.count))
        bytes += digits
      case .single(let field): bytes.append(UInt8(clamping: next(field)))
      case .packed(let field, let packing):
        let limits = packing.limits
        bytes += packing.bytes(of: min(max(next(field), limits.lowerBound), limits.upperBound))
      case .checksum(let checksum): bytes += checksum.bytes(after: bytes)
      }
    }
    return bytes
  }
}

/// What a sketch sends after a command.
package enum CommandAnswer: Hashable, Sendable {
  case none
  /// A line of this form, which ends with LF. A CR before that does not count.
  case line([CommandForm.Part])

  /// Whether a line without its end is this answer.
  package func matches(_ line: [UInt8]) -> Bool {
    guard case .line(let parts) = self else { return false }
    return CommandForm(parts).matches(line + [UInt8(ascii: "\n")])
  }

  package var text: String {
    switch self {
    case .none: "none"
    case .line(let parts): parts.dropLast().reduce("") { $0 + $1.description }
    }
  }
}

extension CommandForm.Part {
  var longest: Int {
    switch self {
    case .byte, .either, .optional, .single: 1
    case .number(let field):
      field.digitsMax + (field.range.lowerBound < 0 ? 1 : 0) + (field.decimals > 0 ? 1 : 0)
    case .digits(_, let width): width
    case .packed(_, let packing): packing.count
    case .checksum(let checksum): checksum.count
    case .pause: 0
    }
  }
}

extension CommandForm: CustomStringConvertible {
  package var description: String {
    let text = parts.reduce("") { $0 + $1.description }
    guard CommandFormReader.isSpeltInBytes(text) else { return text }
    // Characters that look like the spelling in bytes are not meant so.
    return parts.reduce("") {
      $0 + ($1 == .byte(UInt8(ascii: "0")) ? "\\x30" : $1.description)
    }
  }
}

extension CommandForm.Part: CustomStringConvertible {
  package var description: String {
    switch self {
    case .byte(let byte): Self.text(of: byte)
    case .either(let choices):
      "{" + choices.map { Self.text(of: $0, isChoice: true) }.joined(separator: "|") + "}"
    case .optional(let byte): "{" + Self.text(of: byte, isChoice: true) + "?}"
    case .number(let field): "{\(field.name):\(field.rangeText)}"
    case .digits(let field, let width):
      field.range == CommandField.range(ofDigits: width)
        ? "{\(field.name):\(width)}" : "{\(field.name):\(width) \(field.rangeText)}"
    case .single(let field): "{\(field.name):byte \(field.rangeText)}"
    case .packed(let field, let packing):
      field.range == packing.limits
        ? "{\(field.name):\(packing.rawValue)}"
        : "{\(field.name):\(packing.rawValue) \(field.rangeText)}"
    case .checksum(let checksum): "{\(checksum.description)}"
    case .pause(CommandForm.usualPause): "{pause}"
    case .pause(let pause): "{pause \(pause.nanoseconds / 1_000_000)ms}"
    }
  }

  /// `isChoice`: within braces, where `|`, `?` and `:` have a meaning.
  private static func text(of byte: UInt8, isChoice: Bool = false) -> String {
    switch byte {
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\r"): return "\\r"
    case UInt8(ascii: "\t"): return "\\t"
    case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      return "\\" + String(Unicode.Scalar(byte))
    case UInt8(ascii: "|"), UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: " "):
      if !isChoice { return String(Unicode.Scalar(byte)) }
    case 0x20...0x7E: return String(Unicode.Scalar(byte))
    default: break
    }
    return "\\x" + String(byte, radix: 16, digits: 2)
  }
}

extension CommandField {
  /// The numbers that this many digits can be.
  static func range(ofDigits width: Int) -> ClosedRange<Int32> {
    var high: Int32 = 0
    for _ in 0..<min(max(width, 1), widthMax) { high = high * 10 + 9 }
    return 0...high
  }

  /// The largest width of a number in digits.
  static let widthMax = 9
}

/// A number in a command: its name and its range.
package struct CommandField: Hashable, Sendable {
  package var name: String
  /// The smallest and the largest value. With decimals, they are in units of the last one: with two
  /// decimals, 150 is 1.50.
  package var range: ClosedRange<Int32>
  /// The largest number of digits after the decimal point; 0 if it has no point.
  package var decimals: Int

  /// The largest number of decimals.
  package static let decimalsMax = 6

  package init(_ name: String, _ range: ClosedRange<Int32>, decimals: Int = 0) {
    self.name = name
    self.range = range
    self.decimals = decimals
  }

  /// The largest number of digits that it can have, with its decimals. Leading zeros count.
  package var digitsMax: Int {
    var rest = max(range.lowerBound.magnitude, range.upperBound.magnitude)
    var digits = 1
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return max(digits, decimals + 1)
  }

  /// Returns a value in decimal digits, with all decimals.
  package func text(of value: Int32) -> String {
    guard decimals > 0 else { return "\(value)" }
    var digits = Array("\(value.magnitude)".utf8)
    while digits.count <= decimals { digits.insert(UInt8(ascii: "0"), at: 0) }
    digits.insert(UInt8(ascii: "."), at: digits.count - decimals)
    return (value < 0 ? "-" : "") + String(decoding: digits, as: UTF8.self)
  }

  /// The range as a profile states it: `0..180`, `-1.50..1.50`.
  package var rangeText: String { "\(text(of: range.lowerBound))..\(text(of: range.upperBound))" }

  /// The name with the range, for a sentence: `pan is 0 to 180`.
  package var sentence: String {
    "\(name) is \(text(of: range.lowerBound)) to \(text(of: range.upperBound))"
  }
}

/// A byte of a command that is computed from the bytes before it.
///
///     {sum}               the sum of all bytes before it, modulo 256
///     {xor 2..}           the exclusive or, from the second byte on
///     {complement 3..3}   255 less the sum of the third byte
///     {negative}          256 less the sum, so that the sum of all bytes is 0
///     {xor hex 2..-2}     two hexadecimal digits, over the second to the last but one
package struct CommandChecksum: Hashable, Sendable {
  /// The raw value is the word in a profile.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case sum, xor, complement, negative
  }

  package var kind: Kind
  /// Whether it is sent as two hexadecimal digits rather than as one byte.
  package var isHexadecimal: Bool
  /// The first of the bytes that it covers, counted from 1.
  package var first: Int
  /// The last of them, counted from 1; if negative, from the checksum backwards.
  package var last: Int

  package init(_ kind: Kind, isHexadecimal: Bool = false, first: Int = 1, last: Int = -1) {
    self.kind = kind
    self.isHexadecimal = isHexadecimal
    self.first = first
    self.last = last
  }

  /// The number of its bytes.
  package var count: Int { isHexadecimal ? 2 : 1 }

  /// Returns the checksum of a command that has these bytes before it.
  package func value(after bytes: some RandomAccessCollection<UInt8>) -> UInt8 {
    let start = min(max(first - 1, 0), bytes.count)
    let end = min(max(last < 0 ? bytes.count + 1 + last : last, start), bytes.count)
    var sum: UInt8 = 0
    for byte in bytes.dropFirst(start).prefix(end - start) {
      if kind == .xor { sum ^= byte } else { sum &+= byte }
    }
    switch kind {
    case .sum, .xor: return sum
    case .complement: return ~sum
    case .negative: return 0 &- sum
    }
  }

  /// Returns the bytes of the checksum of a command that has these bytes before it.
  package func bytes(after bytes: some RandomAccessCollection<UInt8>) -> [UInt8] {
    let value = value(after: bytes)
    guard isHexadecimal else { return [value] }
    let digits = Array("0123456789ABCDEF".utf8)
    return [digits[Int(value >> 4)], digits[Int(value & 0xF)]]
  }
}

extension CommandChecksum: CustomStringConvertible {
  /// The checksum as a profile states it, without braces.
  package var description: String {
    let range = (first, last) == (1, -1) ? "" : last == -1 ? " \(first).." : " \(first)..\(last)"
    return kind.rawValue + (isHexadecimal ? " hex" : "") + range
  }
}

// Whether the end of one command could be the middle of another. A recognizer takes a command as
// complete at its last byte, or at the pause after it, so a profile cannot have both.
extension CommandForm {
  /// A place in a form: before a part, or inside one after some of its bytes.
  private struct Place: Hashable {
    var part: Int
    var inside = 0
  }

  /// What can follow at a place: bytes, or a pause.
  private typealias Symbols = ClosedRange<UInt16>

  private static let pause: Symbols = 0x100...0x100
  private static let digits: Symbols = 0x30...0x39

  private static func symbol(_ byte: UInt8) -> Symbols { UInt16(byte)...UInt16(byte) }

  /// The number of places before each part and at the end.
  private var placesBefore: [Int] {
    var sum = 0
    var places: [Int] = []
    for part in parts {
      places.append(sum)
      if case .number = part { sum += 2 } else { sum += max(1, part.longest) }
    }
    return places + [sum]
  }

  /// Returns what can follow at a place, each with the place after it. The number of digits in a
  /// number of any length is not tracked, and a checksum can have any value.
  private func steps(from place: Place) -> [(symbols: Symbols, to: Place)] {
    guard place.part < parts.count else { return [] }
    let next = Place(part: place.part + 1)
    let within = Place(part: place.part, inside: place.inside + 1)
    switch parts[place.part] {
    case .byte(let byte): return [(Self.symbol(byte), next)]
    case .either(let choices): return choices.map { (Self.symbol($0), next) }
    case .optional(let byte): return [(Self.symbol(byte), next)] + steps(from: next)
    case .single(let field):
      let low = UInt8(clamping: field.range.lowerBound)
      return [(UInt16(low)...UInt16(UInt8(clamping: field.range.upperBound)), next)]
    case .packed(_, let packing):
      return [(0...0xFF, place.inside + 1 < packing.count ? within : next)]
    case .digits(let field, let width):
      let to = place.inside + 1 < width ? within : next
      var steps = [(symbols: Self.digits, to: to)]
      if place.inside == 0, field.range.lowerBound < 0 {
        steps.append((Self.symbol(UInt8(ascii: "-")), to))
      }
      return steps
    case .checksum(let checksum):
      guard checksum.isHexadecimal else { return [(0...0xFF, next)] }
      let to = place.inside == 0 ? within : next
      return [(Self.digits, to), (0x41...0x46, to), (0x61...0x66, to)]
    case .pause: return [(Self.pause, next)]
    case .number(let field):
      let inside = Place(part: place.part, inside: 1)
      var steps = [(symbols: Self.digits, to: inside)]
      if place.inside == 0 {
        if field.range.lowerBound < 0 { steps.append((Self.symbol(UInt8(ascii: "-")), inside)) }
      } else {
        if field.decimals > 0 { steps.append((Self.symbol(UInt8(ascii: ".")), inside)) }
        steps += self.steps(from: next)
      }
      return steps
    }
  }

  /// Whether a command of this form can have the same bytes as another form's command or as the
  /// beginning of one.
  func canEnd(within other: CommandForm) -> Bool {
    let (mineBefore, othersBefore) = (placesBefore, other.placesBefore)
    let width = othersBefore[other.parts.count] + 1
    var isSeen = [Bool](repeating: false, count: (mineBefore[parts.count] + 1) * width)
    var open = [(Place(part: 0), Place(part: 0))]
    while let (mine, others) = open.popLast() {
      if mine.part == parts.count { return true }
      let row = mineBefore[mine.part] + mine.inside
      let index = row * width + othersBefore[others.part] + others.inside
      if isSeen[index] { continue }
      isSeen[index] = true
      for step in steps(from: mine) {
        for otherStep in other.steps(from: others) where step.symbols.overlaps(otherStep.symbols) {
          open.append((step.to, otherStep.to))
        }
      }
    }
    return false
  }

  /// Returns the first two forms of which one can end where the other continues; nil if there are
  /// none.
  package static func overlap(
    in forms: [CommandForm]
  ) -> (ending: Int, other: Int)? {
    for (index, form) in forms.enumerated() {
      for other in forms.indices where other != index && form.canEnd(within: forms[other]) {
        return (index, other)
      }
    }
    return nil
  }
}
