package import Sketches
import Synchronization
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
}

/// The regular files that a command reads. None of its outputs replaces one of them.
package enum OpenedFiles {
  /// Nil if they are not kept: only a program that runs a single command keeps them.
  private static let known = Mutex<Set<FileIdentity>?>(nil)

  /// Keeps every file that is opened from now on.
  package static func keep() { known.withLock { $0 = $0 ?? [] } }

  /// Adds a file that will be read.
  package static func insert(_ file: FileIdentity) { known.withLock { _ = $0?.insert(file) } }

  package static func contains(_ file: FileIdentity) -> Bool {
    known.withLock { $0?.contains(file) ?? false }
  }

  /// Adds a file that has been opened. Pipes and devices are never replaced.
  static func insert(_ descriptor: FileDescriptor) {
    known.withLock {
      guard $0 != nil else { return }
      var status = stat()
      guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return
      }
      $0?.insert(FileIdentity(status))
    }
  }
}

/// The folder for files that are needed for a short time.
package enum TemporaryFolder {
  /// `TMPDIR`, or `/tmp` if that is not set or empty. Only `/` itself ends with a slash.
  package static var path: String {
    path(getenv("TMPDIR").map { String(cString: $0) })
  }

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
    case .isDirectory:
      self.init(.noInput, path: path, "expected \(what), found a folder")
    case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
      self.init(.noInput, path: path, "cannot be opened: \(errno)")
    default:
      self.init(.inputOutput, path: path, "cannot be read: \(errno)")
    }
  }
}

extension Errno {
  /// Returns the system's error that was thrown.
  package static func of(_ error: any Error) -> Errno { error as? Errno ?? .ioError }
}
