import Testing

@testable import GDB

struct PacketReaderTests {
  private static func items(_ bytes: [UInt8], checked: Bool = true) -> [PacketReader.Item] {
    var reader = PacketReader()
    reader.checksChecksum = checked
    return bytes.compactMap { reader.take($0) }
  }

  private static func packet(_ text: String) -> PacketReader.Item { .packet(Array(text.utf8)) }

  @Test(arguments: [
    ("$g#67", [packet("g")]), ("$#00", [packet("")]),
    ("+$m0,4#FD", [.acknowledged, packet("m0,4")]),
    ("$g#68", [.damaged]), ("$g#6", []), ("$g#6x", [.damaged]), ("$g#xx", [.damaged]),
    ("--", [.refused, .refused]), ("\u{3}", [.interrupt]), ("hello\r\n", []),
    // Within a packet, Ctrl-C is data.
    ("$\u{3}#03", [packet("\u{3}")]),
    // The client begins again.
    ("$m0,$g#67", [packet("g")]),
    ("$X0,1:}\u{3}#9f", [packet("X0,1:#")]),
    ("$g#67$g#67", [packet("g"), packet("g")]),
  ])
  func `Packets are found in what a client sends`(text: String, items: [PacketReader.Item]) {
    #expect(Self.items(Array(text.utf8)) == items)
  }

  @Test func `Without acknowledgements, a checksum does not matter`() {
    #expect(
      Self.items(Array("$g#00$g#zz".utf8), checked: false) == [Self.packet("g"), Self.packet("g")])
  }

  @Test func `A packet that is too long is not kept, and the next one is read`() {
    let long = Array(repeating: UInt8(ascii: "0"), count: PacketReader.packetMax + 1)
    let sum = UInt8(truncatingIfNeeded: long.reduce(0) { $0 + Int($1) })
    let digits = HexText.bytes([sum])
    let bytes = Array("$".utf8) + long + Array("#".utf8) + digits + Array("$g#67".utf8)
    #expect(Self.items(bytes) == [.tooLong, Self.packet("g")])
    #expect(
      Self.items(Array("$".utf8) + long.dropLast() + Array("#00".utf8), checked: false)
        == [.packet(long.dropLast())])
  }

  @Test func `What is written is read as it was, with all bytes`() {
    let data = Array(UInt8.min...UInt8.max)
    let packet = PacketWriter.packet(data)
    #expect(Self.items(packet) == [.packet(data)])
    #expect(packet.dropFirst().dropLast(3).allSatisfy { $0 != 0x23 && $0 != 0x24 && $0 != 0x2A })
  }

  @Test(
    arguments: [
      ("0", 0), ("10,", 16), ("ffffffff", .max), ("100000000", nil), ("", nil), ("x", nil),
    ] as [(String, UInt32?)])
  func `A number has at most 32 bits`(text: String, value: UInt32?) {
    var cursor = PacketCursor(text.utf8)
    #expect(cursor.number() == value)
  }
}
