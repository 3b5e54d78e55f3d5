/// Whether a request is let in, and why not.
package enum AccessVerdict: Hashable, Sendable {
  case allowed
  /// Let in without a token, though there are some.
  case anonymous
  /// Status 401, with `WWW-Authenticate: ` and `challenge`.
  case unauthorized(String)
  /// Status 403.
  case forbidden(String)

  package static let challenge = "Bearer"

  /// The status and the sentence to answer with; nil: it is let in.
  package var refusal: (status: Int, message: String)? {
    switch self {
    case .allowed, .anonymous: nil
    case .unauthorized(let message): (401, message)
    case .forbidden(let message): (403, message)
    }
  }
}
