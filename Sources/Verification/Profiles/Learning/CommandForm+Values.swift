import Turret

extension CommandForm {
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
    guard digits > 0, (decimals ?? 0) <= field.decimals else { return nil }
    for _ in (decimals ?? 0)..<field.decimals { value *= 10 }
    return Int32(exactly: isNegative ? -value : value)
  }
}
