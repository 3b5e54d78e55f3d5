/// A text line by line, in bounded memory: one that comes in pieces, or one in memory.
package struct LineSource: ~Copyable {
  package enum Failure: Error {
    case reading(TraceError)
    case lineTooLong
  }

  /// The longest line, bytes. A line is held whole.
  static let lineLengthMax = 16 << 20
  private static let chunk = 1 << 18

  private let memory: LineBuffer
  /// The memory's bytes, at hand without a look into the class.
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  /// Nil for a text in memory.
  private let source: ByteSource?
  package private(set) var isAtEnd: Bool
  /// Bytes read so far, for progress.
  package private(set) var bytesRead = 0
  /// Whether the last line had no newline at its end.
  package private(set) var endsWithoutNewline = false

  package init(_ source: ByteSource) {
    self.source = source
    memory = LineBuffer(count: Self.chunk)
    buffer = memory.bytes
    isAtEnd = false
  }

  init(_ bytes: [UInt8]) {
    source = nil
    memory = LineBuffer(count: max(1, bytes.count))
    buffer = memory.bytes
    buffer.copyBytes(from: bytes)
    end = bytes.count
    isAtEnd = true
  }

  /// The same text from its start; nil where it can be had only once.
  func again() throws(TraceError) -> ByteSource? { try source?.again() }

  /// What has been read and not been taken yet.
  package var buffered: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer[start..<end])
  }

  /// The next line without its newline; valid until the next call. Nil at the end.
  package mutating func next() throws(Failure) -> UnsafeRawBufferPointer? {
    var searched = start
    while true {
      let filled = UnsafeRawBufferPointer(rebasing: buffer[..<end])
      if let newline = filled.offset(of: 0x0A, from: searched) {
        defer { start = newline + 1 }
        return UnsafeRawBufferPointer(rebasing: filled[start..<newline])
      }
      if isAtEnd {
        guard start < end else { return nil }
        defer { start = end }
        endsWithoutNewline = true
        return UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      }
      try makeRoom()
      searched = end
      let count = try read()
      isAtEnd = count == 0
      end += count
      bytesRead += count
    }
  }

  /// Takes what somebody else has read of the source; nothing is its end. As long as no line waits,
  /// `next` is not to be called: it would read.
  package mutating func append(_ bytes: [UInt8]) throws(Failure) {
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

  private func read() throws(Failure) -> Int {
    do throws(TraceError) {
      return try source?.read(UnsafeMutableRawBufferPointer(rebasing: buffer[end...])) ?? 0
    } catch {
      throw .reading(error)
    }
  }

  /// For a byte at least.
  private mutating func makeRoom() throws(Failure) {
    if start > 0 {
      buffer.baseAddress!.copyMemory(from: buffer.baseAddress! + start, byteCount: end - start)
      end -= start
      start = 0
    }
    if end == buffer.count { try grow() }
  }

  private mutating func grow() throws(Failure) {
    guard buffer.count < Self.lineLengthMax else { throw .lineTooLong }
    memory.grow(to: min(buffer.count * 4, Self.lineLengthMax))
    buffer = memory.bytes
  }
}
