import SystemPackage

/// Bytes that are written once and then read at any place: in memory while there are few, otherwise
/// in a temporary file without a name, which disappears with its last reference.
package final class Spool {
  /// The most bytes that are kept in memory.
  package static let memoryMax = 8 << 20
  /// The maximum length, in bytes. A pipe need not have an end, and other programs need the
  /// temporary folder too.
  package static let lengthMax: Int64 = 2 << 30

  /// The bytes are longer than `lengthMax`.
  package struct TooLong: Error, CustomStringConvertible {
    package var description: String { "it is longer than \(Spool.lengthMax >> 30) GiB" }
  }

  private let memoryMax: Int
  private let lengthMax: Int64
  private var memory: [UInt8] = []
  private var file: FileDescriptor?
  package private(set) var length: Int64 = 0

  package init(memoryMax: Int = Spool.memoryMax, lengthMax: Int64 = Spool.lengthMax) {
    self.memoryMax = memoryMax
    self.lengthMax = lengthMax
  }

  deinit { try? file?.close() }

  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard length + Int64(bytes.count) <= lengthMax else { throw TooLong() }
    if file == nil, memory.count + bytes.count <= memoryMax {
      memory += bytes
    } else {
      let file = try file ?? beginFile()
      _ = try file.writeAll(bytes)
    }
    length += Int64(bytes.count)
  }

  /// Moves what is in memory to a file.
  private func beginFile() throws -> FileDescriptor {
    var template = Array("\(TemporaryFolder.path)/sentrybench.XXXXXX".utf8CString)
    let raw = mkstemp(&template)
    guard raw >= 0 else { throw Errno(rawValue: errno) }
    _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
    unlink(template)
    let descriptor = FileDescriptor(rawValue: raw)
    file = descriptor
    try descriptor.writeAll(memory)
    memory = []
    return descriptor
  }

  /// Reads bytes from an offset into a buffer. Returns their number, 0 only at the end.
  package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset >= 0, offset < length else { return 0 }
    if let file { return try file.read(fromAbsoluteOffset: offset, into: buffer) }
    let start = Int(offset)
    let count = min(buffer.count, memory.count - start)
    memory.withUnsafeBytes { buffer.copyBytes(from: $0[start..<start + count]) }
    return count
  }
}
