/// The fields of a line of a table, without the spaces around them.
struct CSVRow {
  private let line: UnsafeRawBufferPointer
  private let separator: UInt8
  /// The offset of the next field.
  private var offset = 0
  /// The column of the last field that was taken, in bytes from 1.
  private(set) var column = 0
  private(set) var isAtEnd = false

  init(_ line: UnsafeRawBufferPointer, separator: UInt8 = UInt8(ascii: ",")) {
    self.line = line
    self.separator = separator
  }

  /// Takes the next field; nil at the end of the line.
  @inline(__always)
  mutating func next() -> UnsafeRawBufferPointer? {
    guard !isAtEnd else { return nil }
    var start = offset
    var end = start
    while end < line.count, line[end] != separator { end += 1 }
    isAtEnd = end == line.count
    offset = end + 1
    while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
    while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
    column = start + 1
    return UnsafeRawBufferPointer(rebasing: line[start..<end])
  }

  /// Returns the fields of a line as strings (Latin-1).
  static func texts(_ line: String, separator: Character = ",") -> [String] {
    line.split(separator: separator, omittingEmptySubsequences: false).map { field in
      var field = field
      while field.first == " " || field.first == "\t" { field = field.dropFirst() }
      while field.last == " " || field.last == "\t" { field = field.dropLast() }
      if field.count >= 2, field.first == "\"", field.last == "\"" {
        field = field.dropFirst().dropLast()
      }
      return String(field)
    }
  }
}
