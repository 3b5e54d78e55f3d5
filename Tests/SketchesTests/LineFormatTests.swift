import TestSupport
import Testing

@testable import Sketches

struct LineFormatTests {
  private static func format(
    _ size: UInt8, _ parity: LineFormat.Parity, _ stop: LineFormat.StopSize
  ) -> LineFormat {
    LineFormat(dataSize: size, parity: parity, stopSize: stop)
  }

  private static let all: [LineFormat] = LineFormat.dataSizes.flatMap { size in
    LineFormat.Parity.allCases.flatMap { parity in
      LineFormat.StopSize.allCases.map { format(size, parity, $0) }
    }
  }

  @Test(
    arguments: [
      // A is 0x41, two ones; C is 0x43, three.
      ("8N1", 0x41, "0100000101"), ("8E1", 0x41, "01000001001"), ("8E1", 0x43, "01100001011"),
      ("8O1", 0x41, "01000001011"), ("7E1", 0xC3, "0110000111"), ("7M1", 0x41, "0100000111"),
      ("7S1", 0x41, "0100000101"), ("5N2", 0x1F, "0111111"), ("9N1", 0x41, "01000001001"),
      ("9O1", 0x43, "011000010001"),
    ] as [(String, UInt8, String)])
  func `The levels of a frame are its start bit, data, parity and stop bit`(
    _ name: String, _ byte: UInt8, _ levels: String
  ) throws {
    let format = try #require(LineFormat(name))
    let frame = ByteFrame(
      byte: byte, baud: 9_600, format: format, start: .zero,
      end: .zero + ByteClock.byteTime(baud: 9_600, format: format))
    let found = (0..<frame.bitCount).map { frame.level(ofBit: $0) ? "1" : "0" }.joined()
    #expect(found == levels)
  }

  @Test func `Each format has a name, from which it can be read`() {
    for format in Self.all { #expect(LineFormat("\(format)") == format) }
    #expect(Set(Self.all.map { "\($0)" }).count == 75)
    for name in ["", "8N", "4N1", "10N1", "8n1", "8X1", "8N3", "8N1.", "8N1.55", " 8N1", "8E1 "] {
      #expect(LineFormat(name) == nil, "\(name)")
    }
  }

  @Test func `A frame has a ninth bit, which RFC 2217 and traces send as mark or space parity`() {
    let nine = LineFormat(dataSize: 9, parity: .none)
    for byte in [UInt8(0), 0x55, 0xFF] {
      let mark = LineFormat(dataSize: 8, parity: .mark).levels(of: byte)
      #expect(nine.levels(of: byte, ninth: true) == mark)
      #expect(nine.levels(of: byte) == LineFormat(dataSize: 8, parity: .space).levels(of: byte))
    }
  }

  @Test(
    arguments: [
      // One byte, X or 0x58, with 3 ones.
      (format(8, .none, .one), [0x58], [0x58]), (format(8, .even, .one), [0x58], [0x58]),
      (format(8, .none, .two), [0x58, 0x34], [0x58, 0x34]),
      (format(7, .even, .one), [0x58], [0xD8]), (format(7, .odd, .one), [0x58], [0x58]),
      (format(7, .mark, .one), [0x58], [0xD8]), (format(7, .space, .one), [0x58], [0x58]),
      (format(7, .space, .one), [0xD8], [0x58]),
      // The stop bit is taken for the eighth data bit.
      (format(7, .none, .one), [0x58], [0xD8]),
      (format(7, .none, .two), [0x58, 0x34], [0xD8, 0xB4]),
      (format(7, .odd, .one), [0x58, 0x34, 0x2E], [0x58, 0x34, 0xAE]),
      (format(5, .none, .one), [0x1F], [0xFF]),
      // Without a gap, the board misses the edge of the second byte's start bit.
      (format(7, .none, .one), [0x58, 0x7F], [0xD8]),
      (format(7, .none, .one), [0x7F, 0x55], [0xFF, 0xF5]),
      (format(7, .none, .one), [], []),
    ] as [(LineFormat, [UInt8], [UInt8])])
  func `The board receives what it samples`(
    _ format: LineFormat, _ sent: [UInt8], _ received: [UInt8]
  ) {
    #expect(SerialLine.bytes(of: sent, in: format) == received, "\(format)")
  }

  @Test(arguments: 0..<100)
  func `No more bytes arrive than were sent`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let format = Self.format(
      .random(in: 5...8, using: &random),
      LineFormat.Parity.allCases.randomElement(using: &random) ?? .none,
      LineFormat.StopSize.allCases.randomElement(using: &random) ?? .one)
    let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
    let received = SerialLine.bytes(of: bytes, in: format)
    #expect(received.count <= bytes.count, "seed \(seed), \(format)")
    #expect(!received.isEmpty, "seed \(seed), \(format)")
  }

  @Test func `A format has its usual name`() {
    #expect("\(LineFormat())" == "8N1")
    #expect("\(Self.format(7, .even, .two))" == "7E2")
    #expect("\(Self.format(5, .mark, .oneAndAHalf))" == "5M1.5")
  }
}
