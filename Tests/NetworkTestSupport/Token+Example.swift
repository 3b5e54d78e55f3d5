package import Network

extension Token {
  /// A token from a text that is known to be valid.
  package static func example(_ text: String) -> Token {
    do {
      return try Token(Array(text.utf8))
    } catch {
      preconditionFailure("\(text): \(error)")
    }
  }
}
