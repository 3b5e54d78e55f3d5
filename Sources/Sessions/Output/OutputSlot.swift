import Platform
import SystemPackage

/// A report that is written at the end. Whether it can be written is checked at the beginning.
package struct OutputSlot {
  private let path: String
  private let content: Outputs.Content

  package init(_ path: String) throws(Failure) { try self.init(path, as: .other) }

  package init(trace path: String) throws(Failure) { try self.init(path, as: .trace) }

  private init(_ path: String, as content: Outputs.Content) throws(Failure) {
    self.path = path
    self.content = content
    switch try Outputs.target(path, as: content) {
    case .standardOutput, .descriptor: break
    case .special(let name):
      // Opening it would end the reader of a FIFO when it is closed again.
      if access(name, W_OK) != 0 { throw Failure(writing: path, Errno(rawValue: errno)) }
    case .file:
      // Creates the unfinished file and removes it again.
      _ = try OutputFile(path, as: content)
    }
  }

  package func write(_ text: String) throws(Failure) {
    var file = try OutputFile(path, as: content)
    try file.write(Array(text.utf8))
    try file.finish()
  }
}
