/// A recording by another tool, as bytes that can be read at any place and more than once.
package struct CaptureFile {
  /// The file's name without its folders. In formats with a file for each channel, it names the
  /// channel; it never decides the kind of recording.
  package let name: String
  /// In bytes.
  package let length: Int64
  /// Reads bytes from an offset into a buffer. Returns their number, 0 only at the end.
  package let read: (Int64, UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int

  package init(
    name: String, length: Int64,
    read: @escaping (Int64, UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int
  ) {
    self.name = name
    self.length = length
    self.read = read
  }

  /// Creates a recording from bytes in memory.
  package init(name: String, bytes: [UInt8]) {
    self.init(name: name, length: Int64(bytes.count)) { (offset, buffer) in
      guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
      let start = Int(offset)
      let count = min(buffer.count, bytes.count - start)
      bytes.withUnsafeBytes { buffer.copyBytes(from: $0[start..<start + count]) }
      return count
    }
  }

  /// Returns the file with one byte for each character if it is a text in UTF-16, or itself.
  func narrowed() throws(CaptureError) -> CaptureFile {
    UTF16Text(try bytes(at: 0, count: 16))?.file(self) ?? self
  }

  /// Returns up to `count` bytes from an offset, fewer only at the end.
  func bytes(at offset: Int64, count: Int) throws(CaptureError) -> [UInt8] {
    let room = Int(min(Int64(count), max(0, length - offset)))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, room), alignment: 1)
    defer { buffer.deallocate() }
    var filled = 0
    while filled < room {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<room])
      let added = try read(offset + Int64(filled), rest)
      if added == 0 { break }
      filled += added
    }
    return Array(buffer[..<filled])
  }
}
