/// The fields of a line of comma-separated values, one after the other.
struct CSVRow {
  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")

  private let line: UnsafeRawBufferPointer
  private var offset = 0
  /// The column of the last field that was taken, in bytes from 1.
  private(set) var column = 0
  private(set) var isAtEnd = false

  init(_ line: UnsafeRawBufferPointer) { self.line = line }

  /// Takes the next field, without the spaces around it; nil at the end of the line.
  @inline(__always)
  mutating func next() -> UnsafeRawBufferPointer? {
    guard !isAtEnd else { return nil }
    var start = offset
    var end = start
    while end < line.count, line[end] != Self.comma { end += 1 }
    isAtEnd = end == line.count
    offset = end + 1
    while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
    while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
    column = start + 1
    return UnsafeRawBufferPointer(rebasing: line[start..<end])
  }

  /// Takes the next field with the spaces around it, and without quotes, in which a comma does not
  /// end a field; nil at the end of the line. A doubled quote in a quoted field stays doubled.
  mutating func nextUnquoted() -> UnsafeRawBufferPointer? {
    guard !isAtEnd else { return nil }
    var place = offset
    while place < line.count, line[place] == 0x20 { place += 1 }
    let isQuoted = place < line.count && line[place] == Self.quote
    let start = isQuoted ? place + 1 : offset
    var end = start
    if isQuoted {
      place = start
      while place < line.count {
        let isClosing = line[place] == Self.quote
        place += 1
        if isClosing {
          guard place < line.count, line[place] == Self.quote else { break }
          place += 1
        }
        end = place
      }
    }
    while place < line.count, line[place] != Self.comma { place += 1 }
    if !isQuoted { end = place }
    isAtEnd = place == line.count
    offset = place + 1
    column = start + 1
    return UnsafeRawBufferPointer(rebasing: line[start..<end])
  }

  /// Returns the fields of a line, without the spaces and quotes around them.
  static func texts(_ line: String) -> [String] {
    var line = line
    return line.withUTF8 { bytes in
      var row = CSVRow(UnsafeRawBufferPointer(bytes))
      var texts: [String] = []
      while let field = row.nextUnquoted() {
        texts.append(String(decoding: field.trimmed, as: UTF8.self))
      }
      return texts
    }
  }
}

/// All fields of a line of comma-separated values, valid as long as the line.
struct CSVFields {
  private var fields: [UnsafeRawBufferPointer] = []

  var count: Int { fields.count }

  /// A field without the quotes around it; empty if the line has no such field.
  subscript(_ index: Int) -> UnsafeRawBufferPointer {
    fields.indices.contains(index) ? fields[index] : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  mutating func parse(_ line: UnsafeRawBufferPointer) {
    fields.removeAll(keepingCapacity: true)
    var row = CSVRow(line)
    while let field = row.nextUnquoted() { fields.append(field) }
  }
}
