import SystemPackage

/// A small file that is held whole: a state, a timing, a program for the chip.
package enum InputFile {
  /// The longest file, bytes.
  private static let lengthMax = 16 << 20
  private static let chunk = 1 << 16

  /// The bytes of the file at `path`; `-` is standard input. `what` is a word for it, for messages.
  package static func contents(
    of path: String, wanting what: String
  ) throws(TraceError) -> [UInt8] {
    let descriptor = try TraceReader.open(path, wanting: what)
    defer { try? descriptor.close() }
    var bytes: [UInt8] = []
    while true {
      let old = bytes.count
      bytes += [UInt8](repeating: 0, count: chunk)
      do {
        let count = try bytes[old...].withUnsafeMutableBytes { try descriptor.read(into: $0) }
        bytes.removeLast(chunk - count)
        if count == 0 { return bytes }
      } catch {
        throw TraceError(opening: path, error as? Errno ?? .ioError, wanting: what)
      }
      guard bytes.count <= lengthMax else {
        throw TraceError(
          .malformed, path: path, "expected \(what), at most \(lengthMax >> 20) MiB long")
      }
    }
  }
}
