/// The characters that a terminal displays reliably. Each scalar takes exactly one cell; any other
/// scalar is replaced by `?`.
package enum GlyphSet: Hashable, Sendable {
  case ascii
  /// Letters, box drawing, blocks and Braille.
  case unicode

  /// Returns the scalar to display for a scalar.
  func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.value >= 0x20, scalar.value < 0x7F { return scalar }
    switch self {
    case .ascii: return Self.ascii(scalar)
    case .unicode: return Self.takesOneCell(scalar) ? scalar : "?"
    }
  }

  /// Whether a text is displayed unchanged, so that it can be copied.
  func shows(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { shown($0) == $0 }
  }

  /// The degree sign or unit that follows a number.
  var degrees: String { self == .unicode ? "°" : " deg" }

  private static func takesOneCell(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x02FF, 0x0391...0x03A1, 0x03A3...0x03FF,
      0x0400...0x0482, 0x048A...0x052F, 0x2010...0x2015, 0x2018...0x201E, 0x2026, 0x2190...0x2193,
      0x2500...0x25FC, 0x2800...0x28FF:
      true
    default: false
    }
  }

  private static func ascii(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "─", "·": "-"
    case "━": "="
    case "│", "├", "┤": "|"
    case "┼", "┴", "┬": "+"
    case "▲", "↑": "^"
    case "▼", "↓": "v"
    case "◆", "●": "*"
    case "…": ">"
    default: "?"
    }
  }
}
