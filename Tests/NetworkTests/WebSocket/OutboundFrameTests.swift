import NIOCore
import Testing

@testable import Network

struct OutboundFrameTests {
  @Test(
    arguments: [
      (0, [0x81, 0]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]),
      (65_535, [0x81, 126, 255, 255]),
      (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] as [(Int, [UInt8])])
  func `A frame's length has the shortest form`(_ count: Int, _ head: [UInt8]) {
    let payload = [UInt8](repeating: 65, count: count)
    #expect(Array(OutboundFrame.text(payload).readableBytesView) == head + payload)
  }

  @Test func `A reason that is too long for a close frame is cut between characters`() {
    let payload = OutboundFrame.closePayload(1008, String(repeating: "ä", count: 100))
    #expect(payload.count == 124)
    #expect(String(validating: payload[2...], as: UTF8.self) == String(repeating: "ä", count: 61))
  }

  @Test func `A close frame without a code has no payload`() {
    #expect(OutboundFrame.closePayload(nil) == [])
  }
}
