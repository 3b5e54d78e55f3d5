/// An error in a trace: the location, the cause, and a sentence the user can act on.
package struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    case malformed
    /// The file does not exist or is not a file.
    case noInput
    case inputOutput
    case tooLong
    /// The user must state more about the file.
    case usage
  }

  /// The longest message, in Unicode scalars.
  private static let messageMax = 800

  package var code: Code
  package var path: String
  /// From 1; 0 if the error concerns the whole file.
  package var line: Int
  /// In bytes, from 1; 0 if the error concerns the whole line.
  package var column: Int
  package var message: String

  package init(_ code: Code, path: String, line: Int = 0, column: Int = 0, _ message: String) {
    self.code = code
    self.path = path
    self.line = line
    self.column = column
    self.message = PlainText.of(message, upTo: Self.messageMax)
  }

  /// Creates the error for a failure within a line. `endsWithoutNewline` is whether it is the last
  /// line and has no newline.
  package init(
    _ failure: LineScanner.Failure, path: String, line: Int, endsWithoutNewline: Bool
  ) {
    var message = failure.message
    if endsWithoutNewline {
      message += "; the file ends in the middle of a line, like a recording that was cut off: "
      message += "without that line it can be used"
    }
    self.init(.malformed, path: path, line: line, column: failure.offset + 1, message)
  }

  /// The message in a compiler's format: `file:line:column: error: message`.
  package var description: String {
    var place = PlainText.escaped(path)
    if line > 0 { place += ":\(line)" }
    if column > 0 { place += ":\(column)" }
    return "\(place): error: \(message)"
  }
}
