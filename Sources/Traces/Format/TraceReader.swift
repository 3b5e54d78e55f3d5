package import SystemPackage
package import Turret

/// Reads a trace event by event: a trace of any length needs no more memory than its longest line.
package struct TraceReader: ~Copyable {
  package let header: Header
  /// For messages.
  package let path: String
  /// The line of the event last returned, from 1.
  package private(set) var line = 1
  /// The time of the event last returned.
  package private(set) var time = Instant.zero
  /// Events up to and including this instant are left out.
  package var from = Instant(nanoseconds: -1)
  /// The first event later than this counts as the end; what follows it is not looked at.
  package var until = Instant.distantFuture
  /// How long the session can be, and from when on; nil: any length.
  private var limit: (SessionLimit, from: Instant)?
  /// Where the time of the event last read stands, in bytes from 1.
  private var timeColumn = 0
  private var source: LineSource
  private let isInMemory: Bool

  /// Reads the header of the file at `path`; `-` is standard input.
  package init(path: String) throws(TraceError) {
    try self.init(LineSource(Self.open(path)), path: path, isInMemory: false)
  }

  /// Reads a trace in memory; `path` is for messages.
  package init(text: [UInt8], path: String) throws(TraceError) {
    try self.init(LineSource(text), path: path, isInMemory: true)
  }

  private init(
    _ source: consuming LineSource, path: String, isInMemory: Bool
  ) throws(TraceError) {
    self.path = path
    self.isInMemory = isInMemory
    self.source = source
    guard let line = try Self.nextLine(&self.source, path: path, number: 1) else {
      throw TraceError(
        .malformed, path: path, line: 1, column: 1, "expected a header, found an empty file")
    }
    do throws(LineScanner.Failure) {
      var scanner = LineScanner(line)
      header = try Header(&scanner)
    } catch {
      throw Self.error(error, path: path, line: 1, endsWithoutNewline: false)
    }
  }

  /// Refuses a session that is longer, at the line that makes it so. `start`: where the session is
  /// already. Events after the header's duration take no time.
  package mutating func limit(
    to limit: SessionLimit, from start: Instant = .zero
  ) throws(TraceError) {
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

  /// Bytes read so far, for progress.
  package var bytesRead: Int { source.bytesRead }

  /// The next event; nil at the end. After an error there is nothing more to read.
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
    guard let text = try Self.nextLine(&source, path: path, number: line + 1) else { return nil }
    line += 1
    do throws(LineScanner.Failure) {
      var parser = EventParser(text)
      let event = try parser.parse()
      guard event.time >= time else {
        throw LineScanner.Failure(
          offset: parser.timeOffset, message: "expected a time that is not before the last event's")
      }
      time = event.time
      timeColumn = parser.timeOffset + 1
      return event
    } catch {
      throw Self.error(
        error, path: path, line: line, endsWithoutNewline: source.endsWithoutNewline)
    }
  }

  /// Whether the trace has pulses, or expects some. Of a pipe only what has come already is known;
  /// pulses begin within 20 ms of a session's start, so that is where they are.
  package var hasPulses: Bool {
    get throws(TraceError) {
      if header.expects?.contains(.pulse) == true || source.buffered.contains("\"pulse\"") {
        return true
      }
      guard !isInMemory, !source.isAtEnd, try Self.canBeReadTwice(path) else { return false }
      return try Self.mentionsPulses(path)
    }
  }

  /// The kinds of output that the trace has; nil where that cannot be known beforehand, as of a pipe.
  package var kindsOfOutput: Set<Output.Kind>? {
    get throws(TraceError) {
      guard !isInMemory, try Self.canBeReadTwice(path) else { return nil }
      var other = try TraceReader(path: path)
      var kinds: Set<Output.Kind> = []
      while let event = try other.next() {
        if let output = event.output { kinds.insert(output.kind) }
      }
      return kinds
    }
  }

  /// Whether the path is a file that can be read again from its start, as a pipe cannot.
  package static func canBeReadTwice(_ path: String) throws(TraceError) -> Bool {
    guard path != "-" else { return false }
    do {
      // Not opened: a FIFO whose writer is done would never open again.
      return try FilePath(path).stat().type == .regular
    } catch {
      throw TraceError(opening: path, error)
    }
  }

  /// All of a pipe, for those who must read it more than once.
  package static func contents(of path: String) throws(TraceError) -> [UInt8] {
    var source = LineSource(try open(path))
    var text: [UInt8] = []
    var number = 0
    while let line = try nextLine(&source, path: path, number: number) {
      number += 1
      text += line
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }

  /// Whether the word `"pulse"` stands anywhere in the file: quick, and enough to know what to show.
  private static func mentionsPulses(_ path: String) throws(TraceError) -> Bool {
    var source = LineSource(try open(path))
    var number = 1
    while let line = try nextLine(&source, path: path, number: number) {
      number += 1
      if line.contains("\"pulse\"") { return true }
    }
    return false
  }

  static func open(
    _ path: String, wanting what: String = "a trace"
  ) throws(TraceError) -> FileDescriptor {
    do {
      if path == "-" { return try FileDescriptor.standardInput.closeOnExecDuplicate() }
      let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      // Reading tells a folder from a file, and a FIFO must not lose what a probe would read.
      do {
        _ = try descriptor.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
      } catch {
        try? descriptor.close()
        throw error
      }
      return descriptor
    } catch {
      throw TraceError(opening: path, error as? Errno ?? .ioError, wanting: what)
    }
  }

  static func nextLine(
    _ source: inout LineSource, path: String, number: Int, wanting what: String = "a trace"
  ) throws(TraceError) -> UnsafeRawBufferPointer? {
    do {
      return try source.next()
    } catch {
      throw Self.error(error, path: path, line: number, wanting: what)
    }
  }

  static func error(
    _ failure: LineSource.Failure, path: String, line: Int, wanting what: String
  ) -> TraceError {
    switch failure {
    case .reading(let errno): TraceError(opening: path, errno, wanting: what)
    case .lineTooLong:
      TraceError(
        .malformed, path: path, line: line, column: LineSource.lineLengthMax,
        "expected the line's end within \(LineSource.lineLengthMax >> 20) MiB")
    }
  }

  static func error(
    _ failure: LineScanner.Failure, path: String, line: Int, endsWithoutNewline: Bool
  ) -> TraceError {
    var message = failure.message
    if endsWithoutNewline {
      message += "; the file ends in the middle of a line, as a recording does that was cut off: "
      message += "without that line it can be used"
    }
    return TraceError(
      .malformed, path: path, line: line, column: failure.offset + 1, message)
  }
}

extension TraceError {
  /// What the system said when a file was opened or read.
  package init(opening path: String, _ errno: Errno, wanting what: String = "a trace") {
    switch errno {
    case .isDirectory:
      self.init(.noInput, path: path, "expected \(what), found a folder")
    case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
      self.init(.noInput, path: path, "cannot be opened: \(errno)")
    default:
      self.init(.inputOutput, path: path, "cannot be read: \(errno)")
    }
  }
}
