import Traces

/// A mistake in a scenario file or a rule.
package struct NotationError: Error, Hashable, Sendable {
  package var place: Notation.Place
  /// What was expected and what was found.
  package var message: String

  package init(_ place: Notation.Place, _ message: String) {
    self.place = place
    self.message = message
  }

  /// The message in a compiler's format: `file:line:column: error: message`.
  package func text(in path: String) -> String {
    var text = PlainText.escaped(path)
    if place.line > 0 { text += ":\(place.line)" }
    if place.column > 0 { text += ":\(place.column)" }
    return "\(text): error: \(message)"
  }
}
