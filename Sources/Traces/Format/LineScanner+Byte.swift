extension LineScanner {
  /// Takes a string that holds one byte.
  mutating func takeByte() throws(Failure) -> UInt8 {
    skipSpace()
    let offset = position
    let bytes = try takeBytes("one byte in quotes")
    guard bytes.count == 1 else {
      throw Failure(offset: offset, message: "expected one byte, found \(bytes.count)")
    }
    return bytes[0]
  }
}
