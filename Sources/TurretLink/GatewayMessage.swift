import Traces

/// A gateway's message to a sender: a JSON object, `{"error": CODE, "message": ...}`, or with
/// `notice` instead of `error`.
package struct GatewayMessage: Hashable, Sendable {
  package var isError: Bool
  /// For machines, for example `not-in-control`.
  package var code: String
  /// For people; empty if there is none. This text comes from the server and must not be printed
  /// unchanged.
  package var message: String

  /// nil if it is anything else, such as an answer from the board.
  package init?(_ bytes: [UInt8]) {
    guard let object = Self.object(bytes) else { return nil }
    if case .string(let code) = object["error"] {
      self.init(isError: true, code: code, object)
    } else if case .string(let code) = object["notice"] {
      self.init(isError: false, code: code, object)
    } else {
      return nil
    }
  }

  private init(isError: Bool, code: String, _ object: JSONValue) {
    self.isError = isError
    self.code = code
    message = if case .string(let text) = object["message"] { text } else { "" }
  }

  /// The reason that bare TCP sends instead of a close frame; nil if it is anything else.
  package static func farewell(_ bytes: [UInt8]) -> (code: UInt16, reason: String)? {
    guard let object = object(bytes), case .number(let digits) = object["closed"],
      let code = UInt16(digits), case .string(let reason) = object["message"]
    else { return nil }
    return (code, reason)
  }

  private static func object(_ bytes: [UInt8]) -> JSONValue? {
    guard bytes.first == UInt8(ascii: "{") else { return nil }
    return try? JSONValue.contents(of: bytes, path: "notice")
  }
}
