import Traces

/// The words of a value change dump, which are separated by spaces and line breaks.
struct VCDTokens: ~Copyable {
  /// The most bytes of a word that are kept; no identifier and no value is longer.
  private static let lengthMax = 1 << 16

  private var lines: CaptureLines
  private var line = UnsafeRawBufferPointer(start: nil, count: 0)
  private var offset = 0
  private var column = 1

  init(_ file: CaptureFile) { lines = CaptureLines(file) }

  /// The beginning of the last word that was taken.
  var place: CaptureError.Place { .line(max(1, lines.number), column: column) }
  /// Whether the last line has no line break, as in a file that was cut off.
  var endsWithoutNewline: Bool { lines.endsWithoutNewline && offset >= line.count }

  /// Returns the next word, valid until the next call; nil at the end.
  @inline(__always)
  mutating func next() throws(CaptureError) -> UnsafeRawBufferPointer? {
    while true {
      while offset < line.count, line[offset] <= 0x20 { offset &+= 1 }
      if offset < line.count { break }
      guard let next = try lines.next() else {
        line = UnsafeRawBufferPointer(start: nil, count: 0)
        offset = 0
        return nil
      }
      line = next
      offset = 0
    }
    let start = offset
    while offset < line.count, line[offset] > 0x20 { offset &+= 1 }
    column = start &+ 1
    return UnsafeRawBufferPointer(rebasing: line[start..<offset])
  }

  /// Takes the words up to `$end`, and returns the first 64 of them.
  mutating func untilEnd() throws(CaptureError) -> [String] {
    var words: [String] = []
    let start = place
    while let word = try next() {
      if word.isText("$end") { return words }
      if words.count < 64 { words.append(String(latin1: word.prefix(Self.lengthMax))) }
    }
    throw CaptureError(.malformed, at: start, "expected $end, found the end of the file")
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are this text.
  func isText(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount
      && elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
