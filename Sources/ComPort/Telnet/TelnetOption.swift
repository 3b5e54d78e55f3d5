/// The options that either end may use. All others are refused.
package enum TelnetOption: UInt8, Hashable, Sendable, CaseIterable {
  /// Every byte is data (RFC 856).
  case binary = 0
  /// No go-ahead after each transmission (RFC 858).
  case suppressGoAhead = 3
  /// Control of a serial port (RFC 2217).
  case comPort = 44
}
