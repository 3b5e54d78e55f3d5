import TestSupport
import Testing

@testable import ComPort

struct LineFormatTests {
  static func format(_ size: UInt8, _ parity: LineFormat.Parity, _ stop: LineFormat.StopSize)
    -> LineFormat
  {
    var format = LineFormat()
    format.dataSize = size
    format.parity = parity
    format.stopSize = stop
    return format
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
    #expect(format.received(sent) == received, "\(format)")
  }

  @Test(arguments: 0..<100)
  func `No more bytes arrive than were sent`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let format = Self.format(
      .random(in: 5...8, using: &random),
      LineFormat.Parity.allCases.randomElement(using: &random) ?? .none,
      LineFormat.StopSize.allCases.randomElement(using: &random) ?? .one)
    let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
    let received = format.received(bytes)
    #expect(received.count <= bytes.count, "seed \(seed), \(format)")
    #expect(!received.isEmpty, "seed \(seed), \(format)")
  }

  @Test func `A format has its usual name`() {
    #expect("\(LineFormat())" == "8N1")
    #expect("\(Self.format(7, .even, .two))" == "7E2")
    #expect("\(Self.format(5, .mark, .oneAndAHalf))" == "5M1.5")
  }
}
