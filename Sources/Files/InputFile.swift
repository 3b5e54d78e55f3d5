package import Traces

/// A small file that is held whole: a state, a timing, a program for the chip.
package enum InputFile {
  /// The longest file, bytes.
  private static let lengthMax = 16 << 20
  private static let chunk = 1 << 16

  /// The bytes of the file at `path`; `-` is standard input. `what` is a word for it, for messages.
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
