/// The bytes of a text, read a piece at a time.
package struct ByteSource {
  /// Reads the next bytes into a buffer, up to its size. Returns their number, 0 at the end.
  package let read: (UnsafeMutableRawBufferPointer) throws(TraceError) -> Int
  /// Returns the same bytes from the start; nil if they can be read only once, as from a pipe.
  package let again: () throws(TraceError) -> ByteSource?

  package init(
    read: @escaping (UnsafeMutableRawBufferPointer) throws(TraceError) -> Int,
    again: @escaping () throws(TraceError) -> ByteSource?
  ) {
    self.read = read
    self.again = again
  }
}

/// Reads a text line by line in bounded memory, from a source or from memory. Errors name the path
/// and the line.
package struct LineSource: ~Copyable {
  /// The longest line, in bytes. A line is held in memory as a whole.
  private static let lineLengthMax = 16 << 20
  private static let chunk = 1 << 18

  /// Used in messages.
  private let path: String
  private let memory: LineBuffer
  /// The same bytes as in `memory`, for access without a reference to the class.
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  /// Nil if the text is in memory.
  private let source: ByteSource?
  package private(set) var isAtEnd: Bool
  /// The number of the line last returned, from 1; 0 before the first.
  package private(set) var number = 0
  /// The bytes read so far, for progress.
  package private(set) var bytesRead = 0
  /// Whether the last line had no newline at its end.
  package private(set) var endsWithoutNewline = false

  package init(_ source: ByteSource, path: String) {
    self.path = path
    self.source = source
    memory = LineBuffer(count: Self.chunk)
    buffer = memory.bytes
    isAtEnd = false
  }

  init(_ bytes: [UInt8], path: String) {
    self.path = path
    source = nil
    memory = LineBuffer(count: max(1, bytes.count))
    buffer = memory.bytes
    buffer.copyBytes(from: bytes)
    end = bytes.count
    isAtEnd = true
  }

  /// Returns the same text from its start; nil if it can be read only once.
  func again() throws(TraceError) -> ByteSource? {
    if let source { return try source.again() }
    return Self.text(memory, count: end)
  }

  /// Returns the bytes of a text in memory.
  private static func text(_ memory: LineBuffer, count: Int) -> ByteSource {
    var position = 0
    return ByteSource(
      read: { (target) throws(TraceError) in
        let part = UnsafeRawBufferPointer(
          rebasing: memory.bytes[position..<min(position + target.count, count)])
        target.copyMemory(from: part)
        position += part.count
        return part.count
      }, again: { () throws(TraceError) in text(memory, count: count) })
  }

  /// Bytes that have been read but not taken yet.
  package var buffered: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer[start..<end])
  }

  /// Returns the next line without its newline, valid until the next call; nil at the end.
  package mutating func next() throws(TraceError) -> UnsafeRawBufferPointer? {
    var searched = start
    while true {
      let filled = UnsafeRawBufferPointer(rebasing: buffer[..<end])
      if let newline = filled.offset(of: 0x0A, from: searched) {
        defer { start = newline + 1 }
        number += 1
        return UnsafeRawBufferPointer(rebasing: filled[start..<newline])
      }
      if isAtEnd {
        guard start < end else { return nil }
        defer { start = end }
        number += 1
        endsWithoutNewline = true
        return UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      }
      try makeRoom()
      searched = end
      let count = try source?.read(UnsafeMutableRawBufferPointer(rebasing: buffer[end...])) ?? 0
      isAtEnd = count == 0
      end += count
      bytesRead += count
    }
  }

  /// Appends bytes that the caller has read from the source; an empty array means its end. Do not
  /// call `next` while no complete line is buffered: it would read.
  package mutating func append(_ bytes: [UInt8]) throws(TraceError) {
    isAtEnd = bytes.isEmpty
    bytesRead += bytes.count
    var rest = bytes[...]
    while !rest.isEmpty {
      try makeRoom()
      let part = rest.prefix(buffer.count - end)
      UnsafeMutableRawBufferPointer(rebasing: buffer[end...]).copyBytes(from: part)
      end += part.count
      rest = rest[part.endIndex...]
    }
  }

  /// Makes room for at least one byte.
  private mutating func makeRoom() throws(TraceError) {
    if start > 0 {
      buffer.baseAddress!.copyMemory(from: buffer.baseAddress! + start, byteCount: end - start)
      end -= start
      start = 0
    }
    if end == buffer.count { try grow() }
  }

  private mutating func grow() throws(TraceError) {
    guard buffer.count < Self.lineLengthMax else {
      throw TraceError(
        .malformed, path: path, line: number + 1, column: Self.lineLengthMax,
        "expected the line's end within \(Self.lineLengthMax >> 20) MiB")
    }
    memory.grow(to: min(buffer.count * 4, Self.lineLengthMax))
    buffer = memory.bytes
  }
}

/// Owns the memory of a `LineSource`. A class, because Embedded Swift does not run the deinit of a
/// noncopyable type of another module.
final class LineBuffer {
  private(set) var bytes: UnsafeMutableRawBufferPointer

  init(count: Int) { bytes = .allocate(byteCount: count, alignment: 16) }

  deinit { bytes.deallocate() }

  /// Enlarges the memory, and keeps its contents.
  func grow(to count: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(bytes))
    bytes.deallocate()
    bytes = larger
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes contain the text. The search is for its second character, which should be
  /// rare.
  func contains(_ text: StaticString) -> Bool {
    let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var start = 1
    while let second = offset(of: text[1], from: start) {
      if self[(second - 1)...].starts(with: text) { return true }
      start = second + 1
    }
    return false
  }

  /// Whether the bytes are the text.
  @inlinable
  @inline(__always)
  package func isEqual(to text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && starts(with: text)
  }

  /// Whether the bytes begin with the text.
  @inlinable
  @inline(__always)
  package func starts(with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard count >= length else { return false }
    let start = text.utf8Start
    var index = 0
    while index < length {
      guard self[index] == start[index] else { return false }
      index &+= 1
    }
    return true
  }

  /// Returns the offset of the first `byte` at or after an offset; nil if there is none.
  ///
  /// Compares eight bytes at a time. An exclusive or with the byte makes each match zero. When one
  /// is then subtracted from every byte, the first zero is the first byte that borrows.
  @inline(__always)
  package func offset(of byte: UInt8, from start: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let pattern = ones &* UInt64(byte)
    var offset = start
    while offset &+ 8 <= count {
      let eight = UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let rest = eight ^ pattern
      let zeros = (rest &- ones) & ~rest & (ones &<< 7)
      if zeros != 0 { return offset &+ zeros.trailingZeroBitCount &>> 3 }
      offset &+= 8
    }
    while offset < count {
      if self[offset] == byte { return offset }
      offset &+= 1
    }
    return nil
  }
}
