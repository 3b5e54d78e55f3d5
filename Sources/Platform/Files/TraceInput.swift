package import Captures
package import Sketches
import Synchronization
package import SystemPackage
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
    let capture = isTrace ? nil : try Self.capture(in: recording, path: path, given)
    let text = try capture.map { (capture) throws(TraceError) in
      try CaptureFile(traceOf: capture, path: path)
    }
    bytes = ByteSource(text ?? recording) { TraceError($0, path: path) }
    length = (text ?? recording).length
    if let capture {
      notes = capture.sentences(naming: options.sketchOption)
      evidence = capture.summary.evidence
      if given == nil { notes.append("the options that are named here are those of convert") }
      if options.sampleRate != nil, !options.isRateForOutput, !capture.summary.usesGivenRate {
        throw TraceError(
          .usage, path: path,
          "--samplerate requires a recording that is a table with neither times nor a rate")
      }
    } else if !isTrace, let namesKind = options.namesKind {
      do throws(TraceError) {
        _ = try reader()
      } catch {
        var error = error
        error.message +=
          "; nor does it begin as a recording of a known kind; if it is one of these, "
          + (namesKind ? "choose it with --from: " : "convert it with --from: ")
          + CaptureKind.names(CaptureKind.allCases, before: "or")
        throw error
      }
    }
  }

  /// Converts a recording. `path` is used in messages, and `option` names the board's sketch.
  package init(
    _ capture: Capture, path: String, naming option: String = "--firmware"
  ) throws(TraceError) {
    self.path = path
    bytes = ByteSource(try CaptureFile(traceOf: capture, path: path)) { TraceError($0, path: path) }
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

  private static func source(of file: OpenFile, path: String, after head: [UInt8]) -> ByteSource {
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

  /// Returns the recording in a file; nil if it begins as none.
  private static func capture(
    in file: CaptureFile, path: String, _ given: CaptureOptions?
  ) throws(TraceError) -> Capture? {
    let options = given ?? CaptureOptions()
    do throws(CaptureError) {
      let kinds = CaptureKind.candidates(for: try CaptureHead(file))
      guard !kinds.isEmpty || options.kind != nil else { return nil }
      return try Capture([file], options, inflate: Zlib.inflate)
    } catch {
      var error = TraceError(error, path: path)
      if error.code == .usage, given == nil {
        error.message += "; sentrybench convert has these options"
      }
      throw error
    }
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

/// A file that was named, or was found in a named folder.
package struct FoundFile: Sendable {
  package var path: String
  /// The size in bytes; 0 if unknown.
  package var size = 0
  /// Why the file cannot be read.
  package var error: TraceError?
}

package enum FoundFiles {
  /// Returns the file itself, or every file below the folder with one of the endings, in byte order
  /// of the path. `what` names the expected contents in messages. `skipsHidden` leaves out folders
  /// whose name begins with a full stop.
  package static func find(
    _ path: String, endings: [String] = [".jsonl"], wanting what: String = "a trace",
    skipsHidden: Bool = false
  ) -> [FoundFile] {
    guard path != "-" else { return [FoundFile(path: path)] }
    do {
      let status = try FilePath(path).stat()
      guard status.type == .directory else {
        return [FoundFile(path: path, size: Int(status.size))]
      }
    } catch {
      return [FoundFile(path: path, error: TraceError(opening: path, error, wanting: what))]
    }
    var found: [FoundFile] = []
    collect(path, endings, what, skipsHidden, into: &found)
    if found.isEmpty {
      let names = endings.map { "*\($0)" }.joined(separator: " or ")
      let error = TraceError(.noInput, path: path, "there is no \(names) in this folder")
      return [FoundFile(path: path, error: error)]
    }
    return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private static func collect(
    _ folder: String, _ endings: [String], _ what: String, _ skipsHidden: Bool,
    into found: inout [FoundFile]
  ) {
    let names: [String]
    do throws(Errno) {
      names = try PrivateFolder.names(in: folder)
    } catch {
      let error = TraceError(opening: folder, error, wanting: what)
      return found.append(FoundFile(path: folder, error: error))
    }
    for name in names {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      let isMeant = endings.contains { name.hasSuffix($0) }
      // A link to a folder is not followed: it could lead back here.
      guard let link = try? FilePath(path).stat(followTargetSymlink: false) else { continue }
      if link.type == .directory {
        if skipsHidden, name.hasPrefix(".") { continue }
        collect(path, endings, what, skipsHidden, into: &found)
      } else if isMeant, let status = try? FilePath(path).stat(),
        status.type == .regular
      {
        found.append(FoundFile(path: path, size: Int(status.size)))
      } else if isMeant, link.type == .symbolicLink,
        (try? FilePath(path).stat()) == nil
      {
        let error = TraceError(opening: path, .noSuchFileOrDirectory, wanting: what)
        found.append(FoundFile(path: path, error: error))
      }
    }
  }
}

/// An open file, or standard input, for reading. It is closed when its last reference is released.
package final class OpenFile: Sendable {
  package let descriptor: FileDescriptor
  private let path: String
  private let what: String

  /// Opens the file at `path`; `-` is standard input. `what` names the expected contents in
  /// messages.
  package init(path: String, wanting what: String) throws(TraceError) {
    self.path = path
    self.what = what
    do {
      descriptor = try Self.open(path)
    } catch {
      throw TraceError(opening: path, Errno.of(error), wanting: what)
    }
    guard OpenedFiles.insert(FileIdentity(descriptor)) else {
      throw TraceError(.usage, path: path, "is also standard output; write to another file")
    }
  }

  deinit { try? descriptor.close() }

  /// The length of a regular file, in bytes; nil for anything that can be read only once.
  /// Standard input counts as such, because its first bytes can have been read by another program.
  var length: Int64? {
    guard path != "-" else { return nil }
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int64(status.st_size)
  }

  /// Reads what is available and fits. Returns the number of bytes, 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    try attempt { try descriptor.read(into: buffer) }
  }

  /// Returns up to `count` bytes at the start of a regular file.
  func head(_ count: Int) throws(TraceError) -> [UInt8] {
    try attempt {
      try Array(unsafeUninitializedCapacity: count) { (buffer, filled) in
        filled = try descriptor.read(
          fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  private func attempt<Result>(_ body: () throws -> Result) throws(TraceError) -> Result {
    do {
      return try body()
    } catch {
      throw TraceError(opening: path, Errno.of(error), wanting: what)
    }
  }

  private static func open(_ path: String) throws -> FileDescriptor {
    if path == "-" { return try FileDescriptor.standardInput.closeOnExecDuplicate() }
    let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    // An empty read distinguishes a folder from a file without taking bytes from a FIFO.
    do {
      _ = try descriptor.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
    } catch {
      try? descriptor.close()
      throw error
    }
    return descriptor
  }
}

/// Which file it is, whatever its name: links of both kinds, `/dev/stdin` and `/proc/self/fd/3` all
/// lead to the same one.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Follows links. Nil if there is no such file.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Follows links; `-` is standard input. Nil if it is not a regular file.
  package init?(regular path: String) {
    guard path != "-" else {
      self.init(FileDescriptor.standardInput)
      return
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }

  /// Nil if it is not a regular file.
  package init?(_ descriptor: FileDescriptor) {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    self.init(status)
  }
}

/// The regular files that a command reads. None of its outputs replaces one of them.
package enum OpenedFiles {
  /// Nil if they are not kept: only a program that runs a single command keeps them.
  private static let known = Mutex<Set<FileIdentity>?>(nil)

  /// Keeps every file that is opened from now on.
  package static func keep() { known.withLock { $0 = $0 ?? [] } }

  /// Adds a file that is, or will be, read. Pipes and devices, which have no identity, are never
  /// replaced. Returns false if it is also standard output, whose text would become its input.
  package static func insert(_ file: FileIdentity?) -> Bool {
    known.withLock {
      guard let file, $0 != nil else { return true }
      $0?.insert(file)
      return file != FileIdentity(.standardOutput)
    }
  }

  package static func contains(_ file: FileIdentity) -> Bool {
    known.withLock { $0?.contains(file) ?? false }
  }
}

/// The folder for files that are needed for a short time.
package enum TemporaryFolder {
  /// `TMPDIR`, or `/tmp` if that is not set or empty. Only `/` itself ends with a slash.
  package static var path: String { path(getenv("TMPDIR").map { String(cString: $0) }) }

  static func path(_ variable: String?) -> String {
    var path = variable ?? ""
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty ? "/tmp" : path
  }
}

/// Reads a small file as a whole: a state, a timing, a program for the chip.
package enum InputFile {
  /// The maximum size of a file, in bytes.
  private static let lengthMax = 16 << 20
  private static let chunk = 1 << 16

  /// Returns the contents of the file at `path`; `-` is standard input. `what` names the expected
  /// contents in messages.
  package static func contents(
    of path: String, wanting what: String
  ) throws(TraceError) -> [UInt8] {
    let file = try OpenFile(path: path, wanting: what)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 1)
    defer { buffer.deallocate() }
    var bytes: [UInt8] = []
    while true {
      let count = try file.read(into: buffer)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= lengthMax else {
        throw TraceError(
          .malformed, path: path, "expected \(what), at most \(lengthMax >> 20) MiB long")
      }
    }
  }
}

extension Timing {
  /// Reads the file at `path`; `-` is standard input.
  package init(path: String) throws(TraceError) {
    try self.init(text: InputFile.contents(of: path, wanting: "a timing"), path: path)
  }
}

extension TraceError {
  /// Creates the error for the system's error when a file was opened or read.
  package init(opening path: String, _ errno: Errno, wanting what: String = "a trace") {
    switch errno {
    case .isDirectory: self.init(.noInput, path: path, "expected \(what), found a folder")
    case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
      self.init(.noInput, path: path, "cannot be opened: \(errno)")
    default: self.init(.inputOutput, path: path, "cannot be read: \(errno)")
    }
  }
}

extension Errno {
  /// Returns the system's error that was thrown.
  package static func of(_ error: any Error) -> Errno { error as? Errno ?? .ioError }
}
