import Platform
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
      throw TraceError(opening: path, Errno.of(error), wanting: what)
    }
    OpenedFiles.insert(descriptor)
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
    do {
      return try descriptor.read(into: buffer)
    } catch {
      throw TraceError(opening: path, Errno.of(error), wanting: what)
    }
  }

  /// Returns up to `count` bytes at the start of a regular file.
  func head(_ count: Int) throws(TraceError) -> [UInt8] {
    do {
      return try Array(unsafeUninitializedCapacity: count) { (buffer, filled) in
        filled = try descriptor.read(
          fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
      }
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
