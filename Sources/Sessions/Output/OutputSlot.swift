/// A report that is written at the end. Whether it can be written is checked at the beginning.
package struct OutputSlot {
  private let path: String

  package init(_ path: String) throws(Failure) {
    self.path = path
    // Creates the unfinished file and removes it again.
    _ = try OutputFile(path)
  }

  package func write(_ text: String) throws(Failure) {
    var file = try OutputFile(path)
    try file.write(Array(text.utf8))
    try file.finish()
  }
}
