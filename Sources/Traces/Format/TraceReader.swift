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
  /// Whether an `x-refused` event that is not complete is an error. Otherwise it is kept as text.
  package var checksRefusals = false
  /// The longest session, and the instant from which it counts; nil for any length.
  private var limit: (SessionLimit, from: Instant)?
  /// The column of the last event's time, in bytes from 1.
  private var timeColumn = 0
  private var source: LineSource
  /// See `namedKinds`; nil until it is needed.
  private var named: Set<Output.Kind>?

  /// Parses the header of a trace from a source. `path` is used in messages.
  package init(_ source: ByteSource, path: String) throws(TraceError) {
    try self.init(LineSource(source, path: path), path: path)
  }

  /// Parses a trace in memory. `path` is used in messages.
  package init(text: [UInt8], path: String) throws(TraceError) {
    try self.init(LineSource(text, path: path), path: path)
  }

  private init(_ source: consuming LineSource, path: String) throws(TraceError) {
    self.path = path
    self.source = source
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
      var parser = EventParser(text, checksRefusals: checksRefusals)
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

  /// Takes the next byte from the board.
  package mutating func take(_ byte: UInt8) {
    // `hold ok=` and `scan ok=`.
    if last == 0x686F_6C64_206F_6B3D || last == 0x7363_616E_206F_6B3D, (0x30...0x39).contains(byte)
    {
      areFound = true
    }
    last = last << 8 | UInt64(byte)
  }
}
