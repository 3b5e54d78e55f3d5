/// Makes text of any origin (a file, the network, the command line) safe for a terminal: it cannot
/// move the cursor, reverse the direction of writing or fill the screen.
package enum PlainText {
  /// The longest part of a message, in Unicode scalars.
  package static let lengthMax = 500
  /// The longest value that a message quotes, in Unicode scalars.
  package static let quotedMax = 80
  /// The longest line, in Unicode scalars.
  package static let lineMax = 1_000

  private static let omission = "..."

  /// Returns the text on one line, with control and format characters escaped as in JSON.
  package static func escaped(_ text: String) -> String {
    guard isActive(text) else { return text }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { append(scalar, to: &escaped) }
    return String(escaped)
  }

  /// Returns the same, cut after `length` scalars.
  package static func of(_ text: String, upTo length: Int = lengthMax) -> String {
    var scalars = escaped(text).unicodeScalars
    let end = scalars.index(scalars.startIndex, offsetBy: length, limitedBy: scalars.endIndex)
    guard let end, end < scalars.endIndex else { return String(scalars) }
    scalars.removeSubrange(end...)
    return String(scalars) + omission
  }

  /// Returns a value in quotes, for a message.
  package static func quoted(_ text: String) -> String { "\"\(of(text, upTo: quotedMax))\"" }

  /// Returns a line for display. A line that is too long is cut in the middle, because it begins
  /// with the location and ends with the remedy.
  package static func line(_ text: String) -> String {
    let scalars = Array(escaped(text).unicodeScalars)
    guard scalars.count > lineMax else { return string(scalars) }
    let half = (lineMax - omission.count) / 2
    return string(scalars.prefix(half)) + omission + string(scalars.suffix(half))
  }

  /// Returns lines for display. The line breaks are the program's own.
  package static func lines(_ text: String) -> String {
    // Splits scalars, because a line break can be part of a character.
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line(String($0)) }.joined(separator: "\n")
  }

  private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  private static func append(
    _ scalar: Unicode.Scalar, to escaped: inout String.UnicodeScalarView
  ) {
    guard isActive(scalar) else { return escaped.append(scalar) }
    let quoted = JSONValue.string(String(scalar)).text
    escaped.append(contentsOf: quoted.unicodeScalars.dropFirst().dropLast())
  }

  private static func isActive(_ text: String) -> Bool {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return false }
    return text.unicodeScalars.contains(where: isActive)
  }

  private static func isActive(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
