package import Captures
import SystemPackage
package import Traces

/// The text of a trace: that of a file, or converted from another tool's recording.
package struct TraceInput {
  let bytes: ByteSource
  private let path: String
  /// What was assumed to convert a recording; empty for a trace.
  package private(set) var notes: [String] = []
  /// The size of the text in bytes; nil if it can be read only once.
  package private(set) var length: Int64?
  /// Called with the number of bytes each time a reader has read some, for progress.
  package var onRead: ((Int) -> Void)?
  /// What that recording shows beyond its bytes; nil for a trace.
  fileprivate var evidence: RecordingEvidence?

  /// How many bytes are read to find the first one that is not blank.
  private static let headMax = 4_096

  /// Opens the file at `path`; `-` is standard input. A trace on a pipe is not delayed, because its
  /// first byte identifies it; but with `isReadAgain` it is first read to its end. `options` state
  /// how to read a recording; nil if the command has no options for that.
  package init(
    path: String, isReadAgain: Bool = false, options given: CaptureOptions? = nil
  ) throws(TraceError) {
    let options = given ?? CaptureOptions()
    self.path = path
    let file = try OpenFile(path: path, wanting: "a trace")
    let isRegular = file.length != nil
    let head = try isRegular ? file.head(Self.headMax) : Self.beginning(of: file)
    let begins = CaptureHead(head).isJSONLog ? false : TraceReader.begins(head)
    let isTrace = begins != false
    if begins == true, options.areGiven {
      throw TraceError(
        .usage, path: path,
        "expected a recording by another tool, found a trace, which states its speed, its lines "
          + "and its times itself; leave out the options that say how to read a recording")
    }
    if isTrace, isRegular || !isReadAgain {
      bytes = Self.source(of: file, path: path, after: isRegular ? [] : head)
      length = file.length
      return
    }
    let recording = try CaptureFile(
      file, path: path, head: head, isKindKnown: isTrace || options.kind != nil)
    if isTrace {
      bytes = ByteSource(recording) { TraceError($0, path: path) }
      length = recording.length
      return
    }
    let capture: Capture?
    do throws(CaptureError) {
      let kinds = CaptureKind.candidates(for: try CaptureHead(recording))
      let isRecording = !kinds.isEmpty || options.kind != nil
      capture = isRecording ? try Capture([recording], options, inflate: Zlib.inflate) : nil
    } catch {
      throw Self.error(error, path: path, areOffered: given != nil)
    }
    guard let capture else {
      bytes = ByteSource(recording) { TraceError($0, path: path) }
      length = recording.length
      guard let namesKind = options.namesKind else { return }
      do throws(TraceError) {
        _ = try reader()
      } catch {
        throw Self.error(error, namesKind: namesKind)
      }
      return
    }
    let converted = try ConvertedCapture(capture, path: path)
    bytes = converted.bytes
    length = converted.length
    notes = capture.sentences(naming: options.sketchOption)
    evidence = capture.summary.evidence
    if given == nil { notes.append("the options that are named here are those of convert") }
    if options.sampleRate != nil, !options.isRateForOutput, !capture.summary.usesGivenRate {
      throw TraceError(
        .usage, path: path,
        "--samplerate requires a recording that is a table with neither times nor a rate")
    }
  }

  /// Converts a recording. `path` is used in messages, and `option` names the board's sketch.
  package init(
    _ capture: Capture, path: String, naming option: String = "--firmware"
  ) throws(TraceError) {
    self.path = path
    bytes = try ConvertedCapture(capture, path: path).bytes
    notes = capture.sentences(naming: option)
    evidence = capture.summary.evidence
  }

  /// Returns a reader of the trace from its start.
  package func reader() throws(TraceError) -> TraceReader {
    try reader(of: try bytes.again() ?? bytes)
  }

  /// Returns a reader of the trace from its start; nil if it can be read only once.
  package func readerAgain() throws(TraceError) -> TraceReader? {
    try bytes.again().map { (again) throws(TraceError) in try reader(of: again) }
  }

  private func reader(of source: ByteSource) throws(TraceError) -> TraceReader {
    var reader = try TraceReader(onRead.map { source.counting($0) } ?? source, path: path)
    reader.notes = notes
    reader.evidence = evidence
    return reader
  }

  /// Returns the trace's text; nil if it is longer than `countMax` bytes, or can be read only once.
  package func text(countMax: Int) throws(TraceError) -> [UInt8]? {
    guard let source = try bytes.again() else { return nil }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    var text: [UInt8] = []
    while true {
      let count = try source.read(buffer)
      if count == 0 { return text }
      guard text.count + count <= countMax else { return nil }
      text += buffer[..<count]
    }
  }

  /// Reads a pipe up to the first bytes that are not blank.
  private static func beginning(of file: OpenFile) throws(TraceError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: headMax, alignment: 1)
    defer { buffer.deallocate() }
    var head: [UInt8] = []
    while head.count < headMax, TraceReader.begins(head) == nil {
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...]))
      if count == 0 { break }
      head += buffer[head.count..<head.count + count]
    }
    return head
  }

  private static func source(
    of file: OpenFile, path: String, after head: [UInt8]
  ) -> ByteSource {
    var rest = head[...]
    return ByteSource(
      read: { (buffer) throws(TraceError) in
        guard !rest.isEmpty else { return try file.read(into: buffer) }
        let part = rest.prefix(buffer.count)
        buffer.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
      },
      again: { () throws(TraceError) in
        try TraceReader.canBeReadTwice(path) ? try TraceInput(path: path).bytes : nil
      })
  }

  /// Returns the error of a file that begins as no trace and as no recording, with the kinds that
  /// there are.
  private static func error(_ error: TraceError, namesKind: Bool) -> TraceError {
    var error = error
    error.message +=
      "; nor does it begin as a recording of a known kind; if it is one of these, "
      + (namesKind ? "choose it with --from: " : "convert it with --from: ")
      + CaptureKind.names(CaptureKind.allCases, before: "or")
    return error
  }

  private static func error(
    _ error: CaptureError, path: String, areOffered: Bool
  ) -> TraceError {
    var error = TraceError(error, path: path)
    if error.code == .usage, !areOffered {
      error.message += "; sentrybench convert has these options"
    }
    return error
  }
}

extension ByteSource {
  /// Returns the same source, which calls `take` with the number of bytes that were read.
  fileprivate func counting(_ take: @escaping (Int) -> Void) -> ByteSource {
    ByteSource(
      read: { (buffer) throws(TraceError) in
        let count = try read(buffer)
        take(count)
        return count
      },
      again: { () throws(TraceError) in try again()?.counting(take) })
  }
}

extension TraceReader {
  /// Reads the header of the file at `path`; `-` is standard input. Another tool's recording is
  /// converted, and `notes` state what was assumed. `options` state how to read a recording; nil if
  /// the command has no options for that.
  package init(path: String, options: CaptureOptions? = nil) throws(TraceError) {
    let input = try TraceInput(path: path, options: options)
    try self.init(input.bytes, path: path)
    notes = input.notes
    evidence = input.evidence
  }

  /// Whether the path is a file that can be read more than once, unlike a pipe.
  package static func canBeReadTwice(_ path: String) throws(TraceError) -> Bool {
    guard path != "-" else { return false }
    do {
      // Do not open it: a FIFO whose writer has finished could not be opened again.
      return try FilePath(path).stat().type == .regular
    } catch {
      throw TraceError(opening: path, error)
    }
  }
}

/// The trace that a recording becomes, as text.
struct ConvertedCapture {
  private static let chunk = 1 << 16

  private let spool = Spool()
  private let path: String

  /// Converts a recording. `path` is used in messages.
  init(_ capture: Capture, path: String) throws(TraceError) {
    self.path = path
    var text: [UInt8] = []
    text.appendLine(capture.header)
    do throws(CaptureError) {
      try capture.read { (event) throws(CaptureError) in
        text.appendLine(event)
        if text.count >= Self.chunk { try flush(&text) }
      }
      try flush(&text)
    } catch {
      throw TraceError(error, path: path)
    }
  }

  /// In bytes.
  var length: Int64 { spool.length }

  private func flush(_ text: inout [UInt8]) throws(CaptureError) {
    do {
      try text.withUnsafeBytes { try spool.append($0) }
    } catch {
      throw CaptureError(
        .inputOutput,
        "the trace cannot be kept in the temporary folder: "
          + (error is Spool.TooLong ? "\(error)" : "\(Errno.of(error))"))
    }
    text.removeAll(keepingCapacity: true)
  }

  /// The text from its start.
  var bytes: ByteSource {
    var offset: Int64 = 0
    return ByteSource(
      read: { [spool, path] (buffer) throws(TraceError) in
        do {
          let count = try spool.read(at: offset, into: buffer)
          offset += Int64(count)
          return count
        } catch {
          throw TraceError(opening: path, Errno.of(error))
        }
      },
      again: { self.bytes })
  }
}
