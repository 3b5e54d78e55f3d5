/// A text that is one JSON value, such as a timing or a state.
struct JSONDocument {
  let path: String
  private let bytes: [UInt8]

  /// `path` is used in messages.
  init(_ text: [UInt8], path: String) {
    self.path = path
    bytes = text
  }

  /// Parses the contents. Nothing can follow them.
  func read<Value>(
    _ body: (inout LineScanner) throws(LineScanner.Failure) -> Value
  ) throws(TraceError) -> Value {
    do throws(LineScanner.Failure) {
      // Not a closure, which would lose the error's type.
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      defer { buffer.deallocate() }
      buffer.copyBytes(from: bytes)
      var scanner = LineScanner(UnsafeRawBufferPointer(buffer))
      let value = try body(&scanner)
      try scanner.takeEnd()
      return value
    } catch {
      let before = bytes.prefix(error.offset)
      let start = (before.lastIndex(of: 0x0A) ?? -1) + 1
      throw TraceError(
        .malformed, path: path, line: before.count { $0 == 0x0A } + 1,
        column: error.offset - start + 1, error.message)
    }
  }
}

extension JSONValue {
  /// Parses the only value in a text. `path` is used in messages.
  package static func contents(of text: [UInt8], path: String) throws(TraceError) -> JSONValue {
    try JSONDocument(text, path: path).read { (scanner) throws(LineScanner.Failure) in
      try scanner.takeValue()
    }
  }
}
