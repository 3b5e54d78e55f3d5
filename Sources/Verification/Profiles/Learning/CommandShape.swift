import Turret

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

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  /// Returns the shape of a text command.
  init(text: [UInt8]) {
    var index = 0
    while index < text.count {
      let isNegative =
        text[index] == UInt8(ascii: "-") && index + 1 < text.count
        && Self.digits.contains(text[index + 1])
        && !(index > 0 && Self.digits.contains(text[index - 1]))
      let start = isNegative ? index + 1 : index
      var end = start
      while end < text.count, Self.digits.contains(text[end]) { end += 1 }
      if end > start, let value = Self.number(text[index..<end]) {
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

  static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
  }

  private static func number(_ text: ArraySlice<UInt8>) -> Int32? {
    Int32(String(decoding: text, as: UTF8.self))
  }

  /// Returns the name of a number, counted from 0: `a` to `z`, then `n26` and so on.
  static func name(_ index: Int) -> String {
    index < 26 ? String(Unicode.Scalar(UInt8(ascii: "a") + UInt8(index))) : "n\(index)"
  }
}
