/// Numbers as they are formatted in messages.
enum Hex {
  /// Two digits: `3F`.
  static func byte(_ value: UInt8) -> String { digits(UInt32(value), 2) }

  /// At least four digits: `0x01A4`, `0x810000`.
  static func address(_ value: UInt32) -> String { "0x" + digits(value, 4) }

  private static func digits(_ value: UInt32, _ count: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
