import AVR
import Testing

@Suite("An Uno's pins")
struct PinTests {
  @Test(
    "an Uno's digital pin is the chip's pin that the board wires to it",
    arguments: [
      (0, Pin(.D, 0)), (7, Pin(.D, 7)), (8, Pin(.B, 0)), (9, Pin(.B, 1)), (11, Pin(.B, 3)),
      (13, Pin(.B, 5)), (14, Pin(.C, 0)), (19, Pin(.C, 5)),
    ])
  func wiring(number: Int, pin: Pin) {
    #expect(Pin(arduino: number) == pin)
  }

  @Test("there are twenty of them", arguments: [-1, 20])
  func outside(number: Int) {
    #expect(Pin(arduino: number) == nil)
  }
}
