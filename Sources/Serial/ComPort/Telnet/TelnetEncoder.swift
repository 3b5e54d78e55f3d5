/// Writes data for a telnet connection: doubles each 255 and, unless the connection is binary, adds
/// a 0 to each carriage return that no line feed follows.
struct TelnetEncoder: Hashable, Sendable {
  /// Whether the other end has agreed to receive every byte as data.
  var isBinary = false
  private var followsReturn = false

  /// Returns the bytes to send. A 0 that belongs to the last carriage return is sent with the next
  /// data.
  mutating func encode(_ data: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in data {
      if followsReturn, byte != 10, !isBinary { bytes.append(0) }
      followsReturn = byte == 13 && !isBinary
      bytes.append(byte)
      if byte == TelnetByte.interpretAsCommand { bytes.append(byte) }
    }
    return bytes
  }

  /// Returns a subnegotiation of an option with these parameters.
  static func subnegotiation(_ option: TelnetOption, _ parameters: [UInt8]) -> [UInt8] {
    let start = [TelnetByte.interpretAsCommand, TelnetByte.subnegotiation, option.rawValue]
    var encoder = TelnetEncoder()
    encoder.isBinary = true
    return start + encoder.encode(parameters)
      + [TelnetByte.interpretAsCommand, TelnetByte.subnegotiationEnd]
  }
}
