import SystemPackage
package import Traces

extension TraceReader {
  /// Reads the header of the file at `path`; `-` is standard input.
  package init(path: String) throws(TraceError) {
    try self.init(try Self.source(path), path: path)
  }

  private static func source(_ path: String) throws(TraceError) -> ByteSource {
    let file = try OpenFile(path: path, wanting: "a trace")
    return ByteSource(
      read: { (buffer) throws(TraceError) in try file.read(into: buffer) },
      again: { () throws(TraceError) in
        try canBeReadTwice(path) ? try source(path) : nil
      })
  }

  /// Whether the path is a file that can be read more than once, unlike a pipe.
  package static func canBeReadTwice(_ path: String) throws(TraceError) -> Bool {
    guard path != "-" else { return false }
    do {
      // Do not open it: a FIFO whose writer has finished could not be opened again.
      return try FilePath(path).stat().type == .regular
    } catch {
      throw TraceError(opening: path, error)
    }
  }

  /// Reads a pipe completely, for callers that need its contents more than once.
  package static func contents(of path: String) throws(TraceError) -> [UInt8] {
    var source = LineSource(try source(path))
    var text: [UInt8] = []
    var number = 0
    while let line = try source.next(number: number, path: path) {
      number += 1
      text += line
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
