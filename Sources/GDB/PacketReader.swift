/// Finds what a client of GDB's remote serial protocol sends in its bytes ("Overview" and "Packet
/// Acknowledgment" in GDB's manual): `$DATA#SS`, where SS is the sum of the bytes of DATA.
struct PacketReader: Sendable {
  enum Item: Hashable, Sendable {
    /// The data of a packet, with escaped bytes decoded.
    case packet([UInt8])
    /// A packet whose checksum is wrong.
    case damaged
    /// A packet longer than `packetMax`. Its data are not kept.
    case tooLong
    case acknowledged
    case refused
    /// Ctrl-C.
    case interrupt
  }

  /// The longest packet in both directions, in bytes of data. A client is told of it.
  static let packetMax = 0x1000

  private enum State {
    case outside
    case data
    case escaped
    case checksum
    case lastDigit(UInt8?)
  }

  /// Whether checksums matter. A connection that needs no acknowledgements loses no bytes, and some
  /// clients send no valid checksum there.
  var checksChecksum = true
  private var state = State.outside
  private var data: [UInt8] = []
  private var sum: UInt8 = 0
  private var isTooLong = false

  /// Takes the next byte. Returns what ends with it; nil if nothing does.
  mutating func take(_ byte: UInt8) -> Item? {
    switch state {
    case .outside:
      switch byte {
      case UInt8(ascii: "$"): begin()
      case UInt8(ascii: "+"): return .acknowledged
      case UInt8(ascii: "-"): return .refused
      case 0x03: return .interrupt
      default: break
      }
    case .data:
      switch byte {
      // The client has given up the packet before.
      case UInt8(ascii: "$"): begin()
      case UInt8(ascii: "#"): state = .checksum
      case UInt8(ascii: "}"):
        sum &+= byte
        state = .escaped
      default: append(byte, counting: byte)
      }
    case .escaped:
      state = .data
      append(byte ^ 0x20, counting: byte)
    case .checksum: state = .lastDigit(HexText.digit(byte))
    case .lastDigit(let high):
      state = .outside
      return finish(high.flatMap { high in HexText.digit(byte).map { high << 4 | $0 } })
    }
    return nil
  }

  private mutating func begin() {
    state = .data
    data.removeAll()
    sum = 0
    isTooLong = false
  }

  private mutating func append(_ byte: UInt8, counting sent: UInt8) {
    sum &+= sent
    if data.count < Self.packetMax { data.append(byte) } else { isTooLong = true }
  }

  private mutating func finish(_ checksum: UInt8?) -> Item {
    defer { data = [] }
    if checksChecksum, checksum != sum { return .damaged }
    return isTooLong ? .tooLong : .packet(data)
  }
}

/// Packets to a client.
enum PacketWriter {
  /// Returns a packet with these data, in which special bytes are escaped.
  static func packet(_ data: some Sequence<UInt8>) -> [UInt8] {
    var packet = [UInt8(ascii: "$")]
    var sum: UInt8 = 0
    func append(_ byte: UInt8) {
      packet.append(byte)
      sum &+= byte
    }
    for byte in data {
      // `*` would begin a run of equal bytes.
      if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "}")
        || byte == UInt8(ascii: "*")
      {
        append(UInt8(ascii: "}"))
        append(byte ^ 0x20)
      } else {
        append(byte)
      }
    }
    packet.append(UInt8(ascii: "#"))
    return packet + HexText.bytes([sum])
  }
}

/// Bytes as two hexadecimal digits each.
enum HexText {
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  static func bytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    func digit(_ value: UInt8) -> UInt8 {
      value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 0x0F))
    }
    return text
  }

  /// Returns nil if the text is anything else.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text {
      guard let digit = digit(character) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }
}

/// Reads the data of a packet from left to right.
struct PacketCursor {
  private(set) var rest: ArraySlice<UInt8>

  init(_ data: some Sequence<UInt8>) { rest = ArraySlice(data) }

  var isAtEnd: Bool { rest.isEmpty }
  /// What is left, as text.
  var text: String { String(decoding: rest, as: UTF8.self) }

  /// Takes a text if it comes next.
  mutating func take(_ text: StaticString) -> Bool {
    let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard rest.starts(with: bytes) else { return false }
    rest.removeFirst(bytes.count)
    return true
  }

  mutating func takeByte() -> UInt8? { rest.popFirst() }

  /// Takes a hexadecimal number below 2 to the 32nd; nil if none comes next.
  mutating func number() -> UInt32? {
    var value: UInt32?
    while let digit = rest.first.flatMap({ HexText.digit($0) }) {
      let before = value ?? 0
      guard before < 1 << 28 else { return nil }
      value = before << 4 | UInt32(digit)
      rest.removeFirst()
    }
    return value
  }

  /// Takes `ADDRESS,LENGTH`.
  mutating func range() -> (address: UInt32, length: Int)? {
    guard let address = number(), take(","), let length = number() else { return nil }
    return (address, Int(length))
  }

  /// Takes what is before the next separator, or all that is left, and the separator.
  mutating func field(_ separator: UInt8) -> ArraySlice<UInt8> {
    let end = rest.firstIndex(of: separator) ?? rest.endIndex
    let field = rest[..<end]
    rest = rest[min(end + 1, rest.endIndex)...]
    return field
  }
}
