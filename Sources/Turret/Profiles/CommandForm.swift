/// The form of a command: bytes, and numbers between them.
///
///     P{pan:0..180},{tilt:0..180}\n     two numbers in digits, and the end of a line
///     F                                 complete at its last byte
///     \x84{servo:byte 0..5}{to:byte}    two numbers of one byte each
package struct CommandForm: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case byte(UInt8)
    /// A number in decimal digits, after a `-` if it is negative.
    case number(CommandField)
    /// A number sent as one byte.
    case single(CommandField)
  }

  /// A mistake in the text of a form.
  package struct Mistake: Error, Hashable, Sendable {
    /// The character, counted from 1.
    package var column: Int
    package var message: String
  }

  /// The longest command, in bytes.
  package static let lengthMax = 200

  package private(set) var parts: [Part]
  /// Whether a newer command of this form can replace one that is waiting.
  package var isReplaceable: Bool

  package init(_ parts: [Part], isReplaceable: Bool = false) {
    self.parts = parts
    self.isReplaceable = isReplaceable
  }

  /// Whether the command ends with these bytes.
  package func ends(with bytes: [UInt8]) -> Bool {
    parts.count >= bytes.count && parts.suffix(bytes.count).elementsEqual(bytes.map { .byte($0) })
  }

  /// Adds bytes at the end.
  package mutating func append(_ bytes: [UInt8]) { parts += bytes.map { .byte($0) } }

  package var fields: [CommandField] {
    parts.compactMap { part in
      switch part {
      case .byte: nil
      case .number(let field), .single(let field): field
      }
    }
  }

  /// The length of its longest command, in bytes.
  package var longest: Int {
    parts.reduce(0) { sum, part in
      if case .number(let field) = part {
        sum + field.digitsMax + (field.range.lowerBound < 0 ? 1 : 0)
      } else {
        sum + 1
      }
    }
  }
}

extension CommandForm: CustomStringConvertible {
  /// The form as a profile states it.
  package var description: String {
    var text = ""
    for part in parts {
      switch part {
      case .byte(let byte): text += Self.text(of: byte)
      case .number(let field):
        text += "{\(field.name):\(field.range.lowerBound)..\(field.range.upperBound)}"
      case .single(let field):
        text += "{\(field.name):byte \(field.range.lowerBound)..\(field.range.upperBound)}"
      }
    }
    return text
  }

  private static func text(of byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\r"): return "\\r"
    case UInt8(ascii: "\t"): return "\\t"
    case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      return "\\" + String(Unicode.Scalar(byte))
    case 0x20...0x7E: return String(Unicode.Scalar(byte))
    default:
      let digits = String(byte, radix: 16)
      return "\\x" + (digits.utf8.count == 1 ? "0" : "") + digits
    }
  }
}
