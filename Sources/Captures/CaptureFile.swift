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

/// A text file in UTF-16, such as Windows PowerShell's `>` writes: each of its characters is read
/// as one byte. Bytes and levels are written in ASCII, so a character beyond Latin-1 shows that the
/// text has been converted, and that what it was is lost.
struct UTF16Text {
  private let isBigEndian: Bool
  /// Where the text begins, after its byte order mark.
  private let start: Int

  /// Recognizes a text by its byte order mark or, without one, by the zeros in ASCII text. Nil if
  /// it is something else.
  init?(_ head: some RandomAccessCollection<UInt8>) {
    let bytes = Array(head.prefix(16))
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      isBigEndian = bytes[0] == 0xFE
      start = 2
      return
    }
    guard bytes.count == 16 else { return nil }
    start = 0
    isBigEndian = bytes[0] == 0
    for index in stride(from: 0, to: 16, by: 2) {
      let (low, high) = isBigEndian ? (index + 1, index) : (index, index + 1)
      let byte = bytes[low]
      guard bytes[high] == 0, (0x20..<0x7F).contains(byte) || (0x09...0x0D).contains(byte) else {
        return nil
      }
    }
  }

  /// The number of characters in a file of this many bytes.
  func length(_ bytes: Int64) -> Int64 { max(0, (bytes - Int64(start)) / 2) }

  /// Returns the characters of a file's beginning. Those beyond Latin-1 become question marks.
  func decode(_ head: some RandomAccessCollection<UInt8>) -> [UInt8] {
    let bytes = Array(head)
    return stride(from: start, to: bytes.count - 1, by: 2).map { index in
      character(bytes[index], bytes[index + 1]) ?? 0x3F
    }
  }

  /// Returns a file of the characters, each as one byte.
  func file(_ file: CaptureFile) -> CaptureFile {
    CaptureFile(name: file.name, length: length(file.length)) {
      (offset, buffer) throws(CaptureError) in
      let first = Int64(start) + 2 * offset
      let pairs = try file.bytes(at: first, count: 2 * min(buffer.count, 1 << 16))
      for index in 0..<pairs.count / 2 {
        guard let byte = character(pairs[2 * index], pairs[2 * index + 1]) else {
          throw CaptureError(
            at: .byte(first + Int64(2 * index)),
            "expected ASCII, found another character in UTF-16, for which some bytes can be lost; "
              + "write the file again as the tool's own bytes, in PowerShell with "
              + "cmd /c \"TOOL > FILE\"")
        }
        buffer[index] = byte
      }
      return pairs.count / 2
    }
  }

  private func character(_ first: UInt8, _ second: UInt8) -> UInt8? {
    let (low, high) = isBigEndian ? (second, first) : (first, second)
    return high == 0 ? low : nil
  }
}

/// Numbers in bytes whose first index is 0, in one of the two byte orders. A number beyond the end
/// reads as 0.
extension RandomAccessCollection<UInt8> where Index == Int {
  func u16(_ offset: Int, isBigEndian: Bool = false) -> UInt16 {
    UInt16(truncatingIfNeeded: number(offset, 2, isBigEndian))
  }

  func u32(_ offset: Int, isBigEndian: Bool = false) -> UInt32 {
    UInt32(truncatingIfNeeded: number(offset, 4, isBigEndian))
  }

  func u64(_ offset: Int) -> UInt64 { number(offset, 8, false) }
  func double(_ offset: Int) -> Double { Double(bitPattern: u64(offset)) }

  private func number(_ offset: Int, _ length: Int, _ isBigEndian: Bool) -> UInt64 {
    guard offset >= 0, offset <= count - length else { return 0 }
    var value: UInt64 = 0
    for index in 0..<length {
      value = value << 8 | UInt64(self[offset + (isBigEndian ? index : length - 1 - index)])
    }
    return value
  }
}
