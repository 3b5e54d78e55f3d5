/// The bytes of telnet commands (RFC 854).
enum TelnetByte {
  static let subnegotiationEnd: UInt8 = 240
  static let subnegotiation: UInt8 = 250
  /// Begins every command. As data it is sent twice.
  static let interpretAsCommand: UInt8 = 255
}
