package import Traces

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
