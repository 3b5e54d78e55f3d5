package import Traces
package import Turret

extension Timing {
  /// Reads the file at `path`; `-` is standard input.
  package init(path: String) throws(TraceError) {
    try self.init(text: InputFile.contents(of: path, wanting: "a timing"), path: path)
  }
}
