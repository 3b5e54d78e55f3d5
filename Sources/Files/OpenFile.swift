package import SystemPackage
package import Traces

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
      throw TraceError(opening: path, error as? Errno ?? .ioError, wanting: what)
    }
  }

  deinit { try? descriptor.close() }

  /// Reads what is available and fits. Returns the number of bytes, 0 at the end.
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
