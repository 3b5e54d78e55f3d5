/// What can go wrong with a trace: where, why, and a sentence a person can act on.
package struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The text is not a trace.
    case malformed
    /// There is no such file, or it is not a file.
    case noInput
    /// Reading or writing failed.
    case inputOutput
    /// The session is longer than what is carried out without being asked for.
    case tooLong
  }

  /// The longest message, in scalars.
  private static let messageMax = 800

  package var code: Code
  package var path: String
  /// From 1; 0 where the error is about the file as a whole.
  package var line: Int
  /// In bytes, from 1; 0 where the error is about the line as a whole.
  package var column: Int
  package var message: String

  package init(_ code: Code, path: String, line: Int = 0, column: Int = 0, _ message: String) {
    self.code = code
    self.path = path
    self.line = line
    self.column = column
    self.message = PlainText.of(message, upTo: Self.messageMax)
  }

  /// As a compiler writes it: `file:line:column: error: message`.
  package var description: String {
    var place = PlainText.escaped(path)
    if line > 0 { place += ":\(line)" }
    if column > 0 { place += ":\(column)" }
    return "\(place): error: \(message)"
  }
}
