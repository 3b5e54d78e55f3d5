package import Captures
import Platform
import SystemPackage
package import Traces

extension CaptureFile {
  private static let chunk = 1 << 16

  /// Opens the recording at `path`; `-` is standard input. A pipe is read to its end, because a
  /// recording is read more than once.
  package init(path: String) throws(TraceError) {
    try self.init(try OpenFile(path: path, wanting: "a recording"), path: path)
  }

  /// Creates the recording in an open file. `head` contains the bytes that have already been read
  /// from a pipe.
  init(_ file: OpenFile, path: String, head: [UInt8] = []) throws(TraceError) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if let length = file.length {
      self.init(name: name, length: length) { (offset, buffer) throws(CaptureError) in
        try Self.read { try file.descriptor.read(fromAbsoluteOffset: offset, into: buffer) }
      }
      return
    }
    let spool = Spool()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 1)
    defer { buffer.deallocate() }
    do {
      try head.withUnsafeBytes { try spool.append($0) }
      while true {
        let count = try file.descriptor.read(into: buffer)
        if count == 0 { break }
        try spool.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch {
      throw TraceError(opening: path, Errno.of(error), wanting: "a recording")
    }
    self.init(name: name, length: spool.length) { (offset, buffer) throws(CaptureError) in
      try Self.read { try spool.read(at: offset, into: buffer) }
    }
  }

  private static func read(_ body: () throws -> Int) throws(CaptureError) -> Int {
    do {
      return try body()
    } catch {
      throw CaptureError(.inputOutput, "cannot be read: \(Errno.of(error))")
    }
  }
}
