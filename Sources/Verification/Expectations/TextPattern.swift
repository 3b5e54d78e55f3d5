import Traces

/// A text in which `*` stands for any bytes, and every other character for itself.
///
/// Characters U+0000 to U+00FF are the bytes 0 to 255, as in a trace, unless the text is in UTF-8.
package struct TextPattern: Hashable, Sendable, CustomStringConvertible {
  private enum Part: Hashable {
    case byte(UInt8)
    case anything
  }

  private let parts: [Part]
  package let description: String

  /// Nil if a character is over U+00FF.
  package init?(_ text: String) {
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard scalar.value <= 0xFF else { return nil }
      bytes.append(UInt8(scalar.value))
    }
    self.init(bytes, text)
  }

  /// Creates a pattern for text in UTF-8, which a process prints.
  package init(utf8 text: String) { self.init(Array(text.utf8), text) }

  private init(_ bytes: [UInt8], _ text: String) {
    var parts: [Part] = []
    for byte in bytes {
      if byte != UInt8(ascii: "*") {
        parts.append(.byte(byte))
      } else if parts.last != .anything {
        parts.append(.anything)
      }
    }
    self.parts = parts
    description = PlainText.quoted(text)
  }

  /// Whether the pattern matches the whole text.
  package func matches(_ text: some Collection<UInt8>) -> Bool {
    positions(after: text).contains(parts.count)
  }

  /// Whether the text lacks only its end: it does not match, but more bytes could complete it.
  package func isBegun(by text: some Collection<UInt8>) -> Bool {
    let positions = positions(after: text)
    return !positions.isEmpty && !positions.contains(parts.count)
  }

  /// The byte that ends every matching text; nil if the end can be anything.
  package var last: UInt8? {
    if case .byte(let byte)? = parts.last { byte } else { nil }
  }

  /// Returns all positions in the pattern that can be reached after a text.
  private func positions(after text: some Collection<UInt8>) -> Set<Int> {
    var positions = withSkips([0])
    for byte in text {
      var next: Set<Int> = []
      for position in positions where position < parts.count {
        switch parts[position] {
        case .anything: next.insert(position)
        case .byte(byte): next.insert(position + 1)
        case .byte: break
        }
      }
      positions = withSkips(next)
      if positions.isEmpty { break }
    }
    return positions
  }

  /// Adds the positions after each `*`, which can stand for nothing.
  private func withSkips(_ positions: Set<Int>) -> Set<Int> {
    var all = positions
    for position in positions where position < parts.count && parts[position] == .anything {
      all.insert(position + 1)
    }
    return all
  }
}
