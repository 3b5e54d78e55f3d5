/// Status codes of a close frame (RFC 6455, 7.4, and IANA's registry).
enum CloseCode {
  static let normal: UInt16 = 1000
  static let goingAway: UInt16 = 1001
  static let protocolError: UInt16 = 1002
  static let invalidData: UInt16 = 1007
  static let policyViolation: UInt16 = 1008
  static let tooBig: UInt16 = 1009
  static let tryAgainLater: UInt16 = 1013

  /// Whether a close frame may carry it: 1004 is without meaning, 1005, 1006 and 1015 are for use
  /// within an end only, 1016 to 2999 are not given out.
  static func isValid(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
