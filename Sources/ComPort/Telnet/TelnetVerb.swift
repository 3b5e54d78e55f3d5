/// The commands that negotiate an option (RFC 854).
package enum TelnetVerb: UInt8, Hashable, Sendable {
  /// The other end offers, or refuses, to use an option.
  case will = 251
  case wont = 252
  /// The other end requests, or forbids, that this end uses an option.
  case request = 253
  case forbid = 254

  /// Returns the command's three bytes for an option.
  package func bytes(_ option: UInt8) -> [UInt8] {
    [TelnetByte.interpretAsCommand, rawValue, option]
  }
}
