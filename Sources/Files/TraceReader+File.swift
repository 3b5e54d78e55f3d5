import SystemPackage
package import Traces

extension TraceReader {
  /// Reads the header of the file at `path`; `-` is standard input. Another tool's recording is
  /// converted, and `notes` state what was assumed.
  package init(path: String) throws(TraceError) {
    let input = try TraceInput(path: path)
    try self.init(input.bytes, path: path)
    notes = input.notes
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
}
