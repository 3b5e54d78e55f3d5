package import SystemPackage
package import Traces

/// A file of lines that are JSON, or standard input, in bounded memory; what is wrong in it is
/// told as in a trace.
package struct LineFile: ~Copyable {
  /// For messages; `-` is standard input.
  package let path: String
  /// The line last returned, from 1; 0 before the first.
  package private(set) var number = 0
  private let file: OpenFile
  private var source: LineSource

  /// Opens the file; `what` says what should be in it.
  package init(path: String, wanting what: String) throws(TraceError) {
    self.path = path
    let file = try OpenFile(path: path, wanting: what)
    self.file = file
    source = LineSource(
      ByteSource(
        read: { (buffer) throws(TraceError) in try file.read(into: buffer) },
        again: { nil }))
  }

  /// The next line without its newline; valid until the next call. Nil at the end. Of a pipe it
  /// waits no longer than until the line is whole.
  package mutating func next() throws(TraceError) -> UnsafeRawBufferPointer? {
    let line = try source.next(number: number + 1, path: path)
    if line != nil { number += 1 }
    return line
  }

  /// Takes what somebody else has read of it; nothing is its end. From then on `next` is only for
  /// lines that are there: see `hasNext`.
  package mutating func append(_ bytes: [UInt8]) throws(TraceError) {
    do throws(LineSource.Failure) {
      try source.append(bytes)
    } catch {
      throw TraceError(error, path: path, line: number + 1)
    }
  }

  /// What is read from it.
  package var descriptor: FileDescriptor { file.descriptor }

  /// Whether the next line is there already, so that nothing is waited for.
  package var hasNext: Bool { source.isAtEnd || source.buffered.offset(of: 0x0A, from: 0) != nil }

  /// What is wrong in the line last returned, with its place.
  package func error(_ failure: LineScanner.Failure) -> TraceError {
    TraceError(
      failure, path: path, line: number, endsWithoutNewline: source.endsWithoutNewline)
  }
}
