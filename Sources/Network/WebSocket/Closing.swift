/// The reason for which this end closes a connection: a status code (RFC 6455, 7.4.1) and a
/// sentence.
package struct Closing: Hashable, Sendable {
  package var code: UInt16
  package var reason: String

  package init(_ code: UInt16, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The bench is stopping.
  package static let goingAway = Closing(CloseCode.goingAway, "the bench is stopping")
}

/// The status codes of close frames (RFC 6455, 7.4, and IANA's registry).
package enum CloseCode {
  package static let normal: UInt16 = 1000
  package static let goingAway: UInt16 = 1001
  package static let protocolError: UInt16 = 1002
  package static let invalidData: UInt16 = 1007
  package static let policyViolation: UInt16 = 1008
  package static let tooBig: UInt16 = 1009
  package static let tryAgainLater: UInt16 = 1013

  /// Whether a close frame can have this code. 1004 has no meaning; 1005, 1006 and 1015 are only
  /// for internal use; 1016 to 2999 are unassigned.
  package static func isValid(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
