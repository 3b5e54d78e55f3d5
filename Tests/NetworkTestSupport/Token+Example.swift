package import Networking

extension Token {
  /// A token that is known to be one.
  package static func example(_ text: String) -> Token {
    do {
      return try Token(Array(text.utf8))
    } catch {
      preconditionFailure("\(text): \(error)")
    }
  }
}
