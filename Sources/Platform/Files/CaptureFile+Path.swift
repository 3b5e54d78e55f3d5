package import Captures
import SystemPackage
package import Traces

extension CaptureFile {
  private static let chunk = 1 << 16

  /// Opens the recording at `path`; `-` is standard input. A pipe is read to its end, because a
  /// recording is read more than once; but only if its first bytes are those of a recording, or
  /// with `isKindKnown`.
  package init(path: String, isKindKnown: Bool) throws(TraceError) {
    try self.init(
      try OpenFile(path: path, wanting: "a recording"), path: path, isKindKnown: isKindKnown)
  }

  /// Creates the recording in an open file. `head` contains the bytes that have already been read
  /// from a pipe.
  init(_ file: OpenFile, path: String, head: [UInt8] = [], isKindKnown: Bool) throws(TraceError) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if let length = file.length {
      self.init(name: name, length: length) { (offset, buffer) throws(CaptureError) in
        try Self.read { try file.descriptor.read(fromAbsoluteOffset: offset, into: buffer) }
      }
      return
    }
    let spool = Spool()
    var isRecognized = false
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 1)
    defer { buffer.deallocate() }
    do {
      try head.withUnsafeBytes { try spool.append($0) }
      while true {
        let count = try file.descriptor.read(into: buffer)
        if count == 0 { break }
        try spool.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if !isKindKnown, !isRecognized, spool.length >= CaptureHead.lengthMax {
          // Whatever follows, it is not a recording. The pipe might never end.
          guard try Self.isRecording(spool) else { break }
          isRecognized = true
        }
      }
    } catch let error as Spool.TooLong {
      throw TraceError(.inputOutput, path: path, "cannot be kept in the temporary folder: \(error)")
    } catch {
      throw TraceError(opening: path, Errno.of(error), wanting: "a recording")
    }
    self.init(name: name, spool)
  }

  /// Creates the file of the trace that a recording becomes. `path` is used in messages.
  init(traceOf capture: Capture, path: String) throws(TraceError) {
    let spool = Spool()
    var text: [UInt8] = []
    func flush() throws(CaptureError) {
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
    text.appendLine(capture.header)
    do throws(CaptureError) {
      try capture.read { (event) throws(CaptureError) in
        text.appendLine(event)
        if text.count >= Self.chunk { try flush() }
      }
      try flush()
    } catch {
      throw TraceError(error, path: path)
    }
    self.init(name: path, spool)
  }

  private init(name: String, _ spool: Spool) {
    self.init(name: name, length: spool.length) { (offset, buffer) throws(CaptureError) in
      try Self.read { try spool.read(at: offset, into: buffer) }
    }
  }

  /// Whether the first bytes are those of a kind of recording.
  private static func isRecording(_ spool: Spool) throws -> Bool {
    let head = try [UInt8](unsafeUninitializedCapacity: CaptureHead.lengthMax) { buffer, count in
      count = try spool.read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
    }
    return !CaptureKind.candidates(for: CaptureHead(head, length: .max)).isEmpty
  }

  private static func read(_ body: () throws -> Int) throws(CaptureError) -> Int {
    do {
      return try body()
    } catch {
      throw CaptureError(.inputOutput, "cannot be read: \(Errno.of(error))")
    }
  }
}
