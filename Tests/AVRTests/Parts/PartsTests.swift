import Testing

@testable import AVR

/// What all parts on a board have in common.
struct PartsTests {
  /// Whether a part was connected.
  private static func connect(
    _ parts: inout Parts, _ kind: String = "hc-sr04", _ pins: Int...
  ) -> Bool {
    parts.connect(kind, .pins((pins.isEmpty ? [7, 8] : pins).map { Pin(arduino: $0)! }), .uno)
  }

  @Test func `A board has at most 64 parts, each with its number`() {
    var parts = Parts()
    let connected = (0..<65).map { _ in Self.connect(&parts) }
    #expect(connected == Array(repeating: true, count: 64) + [false])
  }

  @Test(arguments: ["", "hcsr04", "pca9685"])
  func `What is no part, or cannot be there, is not connected`(_ kind: String) {
    var parts = Parts()
    let isConnected = Self.connect(&parts, kind)
    #expect(!isConnected && parts == Parts())
  }

  @Test func `Only what a part watches is told to it, and only the part that is meant`() {
    var parts = Parts()
    for trigger in [7, 4] { _ = Self.connect(&parts, "hc-sr04", trigger, 8) }
    #expect(parts.watched[.D] == 0x90 && parts.watched[.B] == 0)
    let before = parts
    _ = parts.take(.level(Pin(arduino: 2)!, isHigh: true), at: 10)
    #expect(parts == before)
    _ = parts.take(.input(50_000), by: 1, at: 10)
    var first = before
    _ = first.take(.input(50_000), by: 0, at: 10)
    #expect(parts != before && parts != first)
  }
}
