/// A frame as a client sends it, or as a client must not.
package enum ClientFrame {
  package static func bytes(
    _ first: UInt8, _ payload: [UInt8] = [], key: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D],
    lengthBytes: Int? = nil
  ) -> [UInt8] {
    let mask: UInt8 = key == nil ? 0 : 0x80
    let natural = payload.count <= 125 ? 0 : payload.count <= 0xFFFF ? 2 : 8
    var bytes = [first]
    let width = lengthBytes ?? natural
    switch width {
    case 0: bytes.append(mask | UInt8(payload.count))
    case 2: bytes.append(mask | 126)
    default: bytes.append(mask | 127)
    }
    for index in (0..<width).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: payload.count >> (index * 8)))
    }
    guard let key else { return bytes + payload }
    return bytes + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
  }

  package static func text(_ text: String, isFinal: Bool = true) -> [UInt8] {
    bytes(isFinal ? 0x81 : 0x01, Array(text.utf8))
  }

  package static func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
    bytes(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
  }
}
