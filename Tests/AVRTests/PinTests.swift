import AVR
import Testing

@Suite("Pins of an Uno")
struct PinTests {
  @Test(arguments: [
    (0, Pin(.D, 0)), (7, Pin(.D, 7)), (8, Pin(.B, 0)), (9, Pin(.B, 1)), (11, Pin(.B, 3)),
    (13, Pin(.B, 5)), (14, Pin(.C, 0)), (19, Pin(.C, 5)),
  ])
  func `An Uno's digital pin maps to the chip's pin that the board wires to it`(
    number: Int, pin: Pin
  ) {
    #expect(Pin(arduino: number) == pin)
  }

  @Test(arguments: [-1, 20])
  func `A pin number outside of 0 to 19 gives no pin`(number: Int) {
    #expect(Pin(arduino: number) == nil)
  }
}
