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
            .malformed, at: .byte(first + Int64(2 * index)),
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
