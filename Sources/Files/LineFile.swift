package import SystemPackage
package import Traces

/// A file, or standard input, in which each line is a JSON value. Memory use is bounded, and errors
/// are reported as they are for traces.
package struct LineFile: ~Copyable {
  /// The path for messages; `-` is standard input.
  package let path: String
  /// The number of the line last returned, from 1; 0 before the first.
  package private(set) var number = 0
  private let file: OpenFile
  private var source: LineSource

  /// Opens the file. `what` names the expected contents in messages.
  package init(path: String, wanting what: String) throws(TraceError) {
    self.path = path
    let file = try OpenFile(path: path, wanting: what)
    self.file = file
    source = LineSource(
      ByteSource(
        read: { (buffer) throws(TraceError) in try file.read(into: buffer) },
        again: { nil }))
  }

  /// Returns the next line without its newline, valid until the next call; nil at the end. On a
  /// pipe it waits only until the line is complete.
  package mutating func next() throws(TraceError) -> UnsafeRawBufferPointer? {
    let line = try source.next(number: number + 1, path: path)
    if line != nil { number += 1 }
    return line
  }

  /// Appends bytes that the caller has read from the file; an empty array marks its end. After the
  /// first call, `next` must only be called if `hasNext` is true.
  package mutating func append(_ bytes: [UInt8]) throws(TraceError) {
    do throws(LineSource.Failure) {
      try source.append(bytes)
    } catch {
      throw TraceError(error, path: path, line: number + 1)
    }
  }

  /// The descriptor to read from.
  package var descriptor: FileDescriptor { file.descriptor }

  /// Whether the next line is available without waiting.
  package var hasNext: Bool { source.isAtEnd || source.buffered.offset(of: 0x0A, from: 0) != nil }

  /// Makes an error about the line last returned, with its position.
  package func error(_ failure: LineScanner.Failure) -> TraceError {
    TraceError(
      failure, path: path, line: number, endsWithoutNewline: source.endsWithoutNewline)
  }
}
