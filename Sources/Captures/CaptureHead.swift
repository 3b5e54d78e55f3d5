/// The beginning of a file, from which the kind of recording is recognized.
package struct CaptureHead {
  /// The most bytes that are examined.
  package static let lengthMax = 64 << 10

  /// At most `lengthMax` bytes.
  package let bytes: [UInt8]
  /// The file's length in bytes.
  package let length: Int64

  /// `length` is that of the file, in bytes; nil if these bytes are the whole file.
  package init(_ bytes: [UInt8], length: Int64? = nil) {
    let head = bytes.prefix(Self.lengthMax)
    let length = length ?? Int64(bytes.count)
    let text = UTF16Text(head)
    self.bytes = text?.decode(head) ?? Array(head)
    self.length = text?.length(length) ?? length
  }

  package init(_ file: CaptureFile) throws(CaptureError) {
    self.init(try file.bytes(at: 0, count: Self.lengthMax), length: file.length)
  }

  /// Whether these bytes are the whole file.
  var isWhole: Bool { length <= Int64(bytes.count) }

  /// Whether the file begins with a text.
  func starts(with text: StaticString) -> Bool {
    bytes.starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether a text is anywhere in these bytes.
  func includes(_ text: StaticString) -> Bool { bytes.withUnsafeBytes { $0.includes(text) } }

  /// Returns the complete lines, at most `limit`, without a byte order mark at the beginning and
  /// without line breaks. Each byte becomes one character (Latin-1).
  func lines(_ limit: Int = 64) -> [String] {
    var lines: [String] = []
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while lines.count < limit, start < bytes.count {
      let newline = bytes[start...].firstIndex(of: 0x0A)
      guard newline != nil || isWhole else { break }
      let end = newline ?? bytes.count
      lines.append(String(latin1: bytes[start..<end].dropLineEnd()))
      start = end + 1
    }
    return lines
  }
}

extension ArraySlice<UInt8> {
  /// Returns the line without a carriage return at its end.
  func dropLineEnd() -> ArraySlice<UInt8> { last == 0x0D ? dropLast() : self }
}

extension String {
  /// Creates a text in which each byte is one character.
  init(latin1 bytes: some Sequence<UInt8>) {
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    self.init(scalars)
  }
}

extension StringProtocol {
  /// Whether the text contains another. Embedded Swift has no `contains` for strings.
  func includes(_ part: String) -> Bool {
    let bytes = Array(utf8)
    let part = Array(part.utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: part) }
  }
}
