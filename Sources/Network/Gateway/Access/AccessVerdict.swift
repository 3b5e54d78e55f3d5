/// Whether a request is admitted, and if not, why.
package enum AccessVerdict: Hashable, Sendable {
  case allowed
  /// Admitted without a token, although the server has tokens.
  case anonymous
  /// Refused with status 401 and `WWW-Authenticate: ` followed by `challenge`.
  case unauthorized(String)
  /// Refused with status 403.
  case forbidden(String)

  package static let challenge = "Bearer"

  /// The status and the sentence of the answer; nil if it is admitted.
  package typealias Refusal = (status: Int, message: String)

  package var refusal: Refusal? {
    switch self {
    case .allowed, .anonymous: nil
    case .unauthorized(let message): (401, message)
    case .forbidden(let message): (403, message)
    }
  }
}
