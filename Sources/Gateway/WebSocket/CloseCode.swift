/// The status codes of close frames (RFC 6455, 7.4, and IANA's registry).
enum CloseCode {
  static let normal: UInt16 = 1000
  static let goingAway: UInt16 = 1001
  static let protocolError: UInt16 = 1002
  static let invalidData: UInt16 = 1007
  static let policyViolation: UInt16 = 1008
  static let tooBig: UInt16 = 1009
  static let tryAgainLater: UInt16 = 1013

  /// Whether a close frame can have this code. 1004 has no meaning; 1005, 1006 and 1015 are only
  /// for internal use; 1016 to 2999 are unassigned.
  static func isValid(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
