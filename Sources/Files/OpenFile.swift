package import SystemPackage
package import Traces

/// A file that is read, or standard input; closed with the last that uses it.
package final class OpenFile: Sendable {
  package let descriptor: FileDescriptor
  private let path: String
  private let what: String

  /// Opens the file at `path`; `-` is standard input. `what` says, for messages, what should be in
  /// it.
  package init(path: String, wanting what: String) throws(TraceError) {
    self.path = path
    self.what = what
    do {
      descriptor = try Self.open(path)
    } catch {
      throw TraceError(opening: path, error as? Errno ?? .ioError, wanting: what)
    }
  }

  deinit { try? descriptor.close() }

  /// Reads what there is and fits; says how much, 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    do {
      return try descriptor.read(into: buffer)
    } catch {
      throw TraceError(opening: path, error as? Errno ?? .ioError, wanting: what)
    }
  }

  private static func open(_ path: String) throws -> FileDescriptor {
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
  }
}
