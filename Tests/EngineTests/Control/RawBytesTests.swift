import Sketches
import Testing

@testable import Engine

struct RawBytesTests {
  @Test(
    arguments: [
      // How many bytes wait, the room for them, and how many are sent.
      (0, 4_096, nil), (1, 0, nil), (1, 1, 1), (100, 99, nil), (100, 100, 100), (4_096, 4_095, nil),
      (4_096, 16_384, 4_096), (65_536, 1, nil), (65_536, 4_095, nil), (65_536, 4_096, 4_096),
      (65_536, 16_384, 16_384),
    ] as [(Int, Int, Int?)])
  func `Many bytes are sent in batches as the line has room`(
    waiting: Int, room: Int, piece: Int?
  ) {
    var raw = RawBytes(ArbiterSettings(firmware: .classic, baud: 9_600))
    raw.put([UInt8](repeating: 0x58, count: waiting))
    #expect(raw.next(room: room)?.count == piece)
    #expect(raw.count == waiting - (piece ?? 0))
  }
}
