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
    let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    guard bytes.count == text.unicodeScalars.count else { return nil }
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

  /// The shortest text that it matches.
  package var example: [UInt8] {
    parts.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
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

  /// Returns the first bytes that match the pattern, from an index on: they begin as early as
  /// possible, and each `*` stands for as few bytes as possible. Nil if there are none, or if the
  /// pattern matches no bytes at all.
  package func firstMatch(in bytes: ArraySlice<UInt8>, from start: Int) -> Range<Int>? {
    var runs: [[UInt8]] = [[]]
    for part in parts {
      switch part {
      case .anything: runs.append([])
      case .byte(let byte): runs[runs.count - 1].append(byte)
      }
    }
    var first: Int?
    var end = max(bytes.startIndex, min(start, bytes.endIndex))
    for (index, run) in runs.enumerated() {
      // A match that begins later would leave even fewer bytes for this part.
      guard let place = Self.place(of: run, in: bytes, from: end) else { return nil }
      // A `*` at the beginning stands for the bytes from the start on.
      if first == nil { first = run.isEmpty && index == 0 && runs.count > 1 ? end : place }
      end = place + run.count
    }
    guard let first, first < end else { return nil }
    return first..<end
  }

  private static func place(
    of run: [UInt8], in bytes: ArraySlice<UInt8>, from start: Int
  ) -> Int? {
    guard run.count <= bytes.endIndex - start else { return nil }
    guard let head = run.first else { return start }
    return (start...(bytes.endIndex - run.count)).first { index in
      bytes[index] == head && run.indices.allSatisfy { bytes[index + $0] == run[$0] }
    }
  }

  /// Returns how many bytes must be inserted, deleted or replaced so that a text matches. It
  /// compares at most the first 100 bytes of both.
  func changes(to text: [UInt8]) -> Int {
    let (parts, text) = (parts.prefix(100), text.prefix(100))
    var row = Array(0...text.count)
    for part in parts {
      var diagonal = row[0]
      let isAnything = part == .anything
      if !isAnything { row[0] += 1 }
      for (column, byte) in text.enumerated() {
        let above = row[column + 1]
        if isAnything {
          // It stands for nothing, or for this byte too.
          row[column + 1] = min(above, row[column])
        } else {
          let cost = diagonal + (part == .byte(byte) ? 0 : 1)
          row[column + 1] = min(cost, above + 1, row[column] + 1)
        }
        diagonal = above
      }
    }
    return row[text.count]
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
