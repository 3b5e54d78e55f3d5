package import Sketches

/// Reads a trace event by event. The memory it needs depends only on the longest line.
package struct TraceReader: ~Copyable {
  package var header: Header
  /// Used in messages.
  package let path: String
  /// What was assumed when the trace was made from another tool's recording; empty for a trace.
  package var notes: [String] = []
  /// What that recording shows beyond its bytes; nil for a trace.
  package var evidence: RecordingEvidence?
  /// The time of the last event returned.
  package private(set) var time = Instant.zero
  /// The line of the last event returned, from 1. Stored, because to ask the source copies it.
  package private(set) var line = 1
  /// Events up to and including this instant are skipped.
  package var from = Instant(nanoseconds: -1)
  /// The first event later than this counts as the end. Anything after it is not read.
  package var until = Instant.distantFuture
  package var refusals = Refusals.read
  /// The longest session, and the instant from which it counts; nil for any length.
  private var limit: (SessionLimit, from: Instant)?
  /// The column of the last event's time, in bytes from 1.
  private var timeColumn = 0
  private var source: LineSource
  /// See `namedKinds`; nil until it is needed.
  private var named: Set<Output.Kind>?

  /// Parses the header of a trace from a source. `path` is used in messages.
  package init(_ source: ByteSource, path: String) throws(TraceError) {
    self.path = path
    self.source = LineSource(source, path: path)
    guard let line = try self.source.next() else {
      throw TraceError(
        .malformed, path: path, line: 1, column: 1, "expected a header, found an empty file")
    }
    do throws(LineScanner.Failure) {
      var scanner = LineScanner(line)
      header = try Header(&scanner)
    } catch {
      throw TraceError(error, path: path, line: 1, endsWithoutNewline: false)
    }
  }

  /// Parses a trace in memory. `path` is used in messages.
  package init(text: [UInt8], path: String) throws(TraceError) {
    try self.init(ByteSource(text), path: path)
  }

  /// Whether text begins as a trace does; nil if it is blank.
  package static func begins(_ head: [UInt8]) -> Bool? {
    head.first { !" \t\r\n".utf8.contains($0) }.map { $0 == UInt8(ascii: "{") }
  }

  /// Refuses a longer session, at the line that makes it too long. `start` is the instant the
  /// session has already reached. Events after the header's duration do not count. A limit of nil
  /// allows any length.
  package mutating func limit(
    to limit: SessionLimit?, from start: Instant = .zero
  ) throws(TraceError) {
    guard let limit else { return }
    if let end = header.end {
      if end - start > limit.longest { throw tooLong(end - start, limit, line: 1, column: 0) }
    } else {
      self.limit = (limit, start)
    }
  }

  private func tooLong(
    _ length: Interval, _ limit: SessionLimit, line: Int, column: Int
  ) -> TraceError {
    TraceError(
      .tooLong, path: path, line: line, column: column, limit.refusal(of: length))
  }

  /// The bytes read so far, for progress.
  package var bytesRead: Int { source.bytesRead }

  /// Returns the next event; nil at the end. After an error, nothing more can be read.
  package mutating func next() throws(TraceError) -> Event? {
    while let event = try nextOfAll() {
      if event.time > until { return nil }
      if let (limit, start) = limit, event.time - start > limit.longest {
        throw tooLong(event.time - start, limit, line: line, column: timeColumn)
      }
      if event.time > from { return event }
    }
    return nil
  }

  private mutating func nextOfAll() throws(TraceError) -> Event? {
    guard let text = try source.next() else { return nil }
    line = source.number
    do throws(LineScanner.Failure) {
      var parser = EventParser(text, refusals: refusals)
      let event = try parser.parse()
      guard event.time >= time else {
        throw LineScanner.Failure(
          offset: parser.timeOffset, message: "expected a time that is not before the last event's")
      }
      time = event.time
      timeColumn = parser.timeOffset + 1
      return event
    } catch {
      throw TraceError(
        error, path: path, line: line, endsWithoutNewline: source.endsWithoutNewline)
    }
  }

  /// Whether the trace contains or expects pulses. For a pipe, only the text already received
  /// counts; pulses begin within 20 ms of a session's start, so that is enough.
  package var hasPulses: Bool {
    mutating get throws(TraceError) {
      if header.expects?.contains(.pulse) == true { return true }
      guard let named = try namedKinds() else { return source.buffered.contains("\"pulse\"") }
      return named.contains(.pulse)
    }
  }

  /// The pins whose levels the trace contains; all of them if a pipe's text does not show which.
  package var levelPins: PinSelection {
    mutating get throws(TraceError) {
      guard let named = try namedKinds() else {
        return source.buffered.contains("\"pin\"") ? .all : .some([])
      }
      guard named.contains(.pin), let again = try source.again() else { return .some([]) }
      var other = try TraceReader(again, path: path)
      var pins: Set<BoardPin> = []
      while let event = try other.next() {
        if case .pin(let pin, _) = event.output { pins.insert(pin) }
      }
      return .some(pins)
    }
  }

  /// Returns which of the kinds of output occur in the trace; nil if that cannot be known
  /// beforehand, as for a pipe.
  package mutating func kindsOfOutput(
    among kinds: Set<Output.Kind> = Set(Output.Kind.allCases)
  ) throws(TraceError) -> Set<Output.Kind>? {
    guard !kinds.isEmpty else { return [] }
    guard let named = try namedKinds() else { return nil }
    // A line that names a kind can still be malformed, and then that is what must be reported.
    guard !named.isDisjoint(with: kinds), let again = try source.again() else { return [] }
    var other = try TraceReader(again, path: path)
    var found: Set<Output.Kind> = []
    while let event = try other.next() {
      if let output = event.output { found.insert(output.kind) }
    }
    return found.intersection(kinds)
  }

  /// Returns the kinds of output that the trace names; nil if it can be read only once.
  private mutating func namedKinds() throws(TraceError) -> Set<Output.Kind>? {
    if let named { return named }
    guard let text = try source.again() else { return nil }
    named = try Self.kindsNamed(in: text, path: path)
    return named
  }

  /// Finds the kinds of output that a text names without parsing its events, which would take ten
  /// times as long.
  private static func kindsNamed(
    in text: ByteSource, path: String
  ) throws(TraceError) -> Set<Output.Kind> {
    var source = LineSource(text, path: path)
    var found: Set<Output.Kind> = []
    /// Most lines name the same kind as the line before.
    var latest: Output.Kind?
    let quote = UInt8(ascii: "\"")
    while let line = try source.next() {
      // The first string of an event is its kind.
      guard let start = line.offset(of: quote, from: 0),
        let end = line.offset(of: quote, from: start + 1)
      else { continue }
      let name = UnsafeRawBufferPointer(rebasing: line[(start + 1)..<end])
      if let latest, name.isEqual(to: latest.word) { continue }
      if let kind = Output.Kind.allCases.first(where: { name.isEqual(to: $0.word) }) {
        found.insert(kind)
        latest = kind
      } else if name.contains(UInt8(ascii: "\\")) {
        // A name can be written with escapes.
        var scanner = LineScanner(UnsafeRawBufferPointer(rebasing: line[start...]))
        if let name = try? scanner.takeText(""), let kind = Output.Kind(name: name) {
          found.insert(kind)
        }
      }
    }
    return found
  }
}

/// What another tool's recording shows of its lines beyond their bytes.
package struct RecordingEvidence: Hashable, Sendable {
  /// The speed of the bytes to the board, as their edges show it.
  package struct Speed: Hashable, Sendable {
    /// The speed at which the line was read, and the one that its edges have, in bits a second.
    package var read: Int
    package var measured: Int
    /// Whether enough edges fit.
    package var isSure: Bool

    package init(read: Int, measured: Int, isSure: Bool) {
      self.read = read
      self.measured = measured
      self.isSure = isSure
    }
  }

  /// The speed of the line to the board, if its edges have another one than it was read at.
  package var speed: Speed?
  /// Whether the line to the board was read as one that idles low.
  package var isReadInverted = false
  /// Whether its bytes have their stop bits only if it is read the other way round.
  package var isOtherPolarity = false
  /// The options that exchange the two lines; nil if the recording has only one.
  package var exchange: String?
  /// Why no byte was found; nil if one was.
  package var noByte: String?

  package init() {}
}

/// A search for the answers to `?` of guarded: `090 hold ok=00012 no=00003 ...`.
package struct GuardedAnswers: Hashable, Sendable {
  /// The last eight bytes, the latest one in the lowest bits.
  private var last: UInt64 = 0
  package private(set) var areFound = false

  package init() {}

  package mutating func take(_ byte: UInt8) {
    // `hold ok=` and `scan ok=`.
    if last == 0x686F_6C64_206F_6B3D || last == 0x7363_616E_206F_6B3D, (0x30...0x39).contains(byte)
    {
      areFound = true
    }
    last = last << 8 | UInt64(byte)
  }
}

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

  init(_ text: [UInt8]) {
    var position = 0
    self.init(
      read: { (target) throws(TraceError) in
        let part = text[position..<min(position + target.count, text.count)]
        target.copyBytes(from: part)
        position += part.count
        return part.count
      }, again: { () throws(TraceError) in ByteSource(text) })
  }
}

/// Reads a text line by line in bounded memory. Errors name the path and the line.
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
  private let source: ByteSource
  package private(set) var isAtEnd = false
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
  }

  /// Returns the same text from its start; nil if it can be read only once.
  func again() throws(TraceError) -> ByteSource? { try source.again() }

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
      let count = try source.read(UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
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
