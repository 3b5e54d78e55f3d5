import Sketches

/// The bytes of a text and the numbers between them, in decimal digits.
struct CommandShape: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case byte(UInt8)
    /// Decimal digits, with a `-` if the number is negative.
    case number
  }

  private(set) var parts: [Part] = []
  /// The numbers of the command that the shape was found in.
  private(set) var values: [Int32] = []

  static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  init(text: [UInt8]) {
    var index = 0
    while index < text.count {
      let digits = Self.digits(at: index, in: text[...])
      var end = digits.upperBound
      if !digits.isEmpty, let value = Int32(String(decoding: text[index..<end], as: UTF8.self)) {
        parts.append(.number)
        values.append(value)
      } else {
        // A number that is too large counts as bytes.
        end = max(end, index + 1)
        parts += text[index..<end].map { .byte($0) }
      }
      index = end
    }
  }

  static func lineEndCount(of bytes: [UInt8]) -> Int {
    bytes.reversed().prefix { $0 == 0x0A || $0 == 0x0D }.count
  }

  static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
  }

  /// Returns where the digits of a number are that begins at an index, after its `-` if it is
  /// negative; an empty range if none begins there.
  static func digits(at index: Int, in text: ArraySlice<UInt8>) -> Range<Int> {
    func isDigit(_ index: Int) -> Bool {
      text.indices.contains(index) && digits.contains(text[index])
    }
    let isNegative =
      text[index] == UInt8(ascii: "-") && isDigit(index + 1) && !isDigit(index - 1)
    let start = isNegative ? index + 1 : index
    return start..<(text[start...].firstIndex { !digits.contains($0) } ?? text.endIndex)
  }

  /// Returns the name of a number, counted from 0: `a` to `z`, then `n26` and so on.
  static func name(_ index: Int) -> String {
    index < 26 ? String(Unicode.Scalar(UInt8(ascii: "a") + UInt8(index))) : "n\(index)"
  }
}

extension CommandForm {
  /// Returns bytes as a profile states them.
  static func text(of bytes: some Sequence<UInt8>) -> String {
    CommandForm(bytes.map { .byte($0) }).description
  }

  /// Returns the numbers of a command of this form, in the order of its fields; nil if the bytes
  /// are not one. Ranges and checksums are not checked.
  func values(of command: [UInt8]) -> [Int32]? {
    var values: [Int32] = []
    var rest = command[...]
    for part in parts {
      switch part {
      case .byte(let byte): guard rest.popFirst() == byte else { return nil }
      case .either(let choices):
        guard let byte = rest.popFirst(), choices.contains(byte) else { return nil }
      case .optional(let byte): if rest.first == byte { rest.removeFirst() }
      case .checksum(let checksum):
        guard rest.count >= checksum.count else { return nil }
        rest.removeFirst(checksum.count)
      case .pause: break
      case .single:
        guard let byte = rest.popFirst() else { return nil }
        values.append(Int32(byte))
      case .packed(_, let packing):
        guard rest.count >= packing.count else { return nil }
        let bytes = Array(rest.prefix(packing.count))
        rest.removeFirst(packing.count)
        guard let value = packing.limits.first(where: { packing.bytes(of: $0) == bytes }) else {
          return nil
        }
        values.append(value)
      case .number(let field):
        guard let value = Self.number(&rest, field, width: nil) else { return nil }
        values.append(value)
      case .digits(let field, let width):
        guard let value = Self.number(&rest, field, width: width) else { return nil }
        values.append(value)
      }
    }
    return rest.isEmpty ? values : nil
  }

  /// Takes a number in decimal digits, in units of its last decimal.
  private static func number(
    _ rest: inout ArraySlice<UInt8>, _ field: CommandField, width: Int?
  ) -> Int32? {
    let start = rest.startIndex
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    var value: Int64 = 0
    var digits = 0
    var decimals: Int?
    while let byte = rest.first, width.map({ rest.startIndex - start < $0 }) ?? true {
      if byte == UInt8(ascii: "."), field.decimals > 0, decimals == nil {
        decimals = 0
      } else if (0x30...0x39).contains(byte), digits < 12 {
        value = value * 10 + Int64(byte - 0x30)
        digits += 1
        decimals = decimals.map { $0 + 1 }
      } else {
        break
      }
      rest.removeFirst()
    }
    let missing = field.decimals - (decimals ?? 0)
    guard digits > 0, missing >= 0 else { return nil }
    for _ in 0..<missing {
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      if overflows { return nil }
      value = product
    }
    return Int32(exactly: isNegative ? -value : value)
  }
}
