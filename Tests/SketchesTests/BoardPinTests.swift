import TestSupport
import Testing

@testable import Sketches

@Suite struct BoardPinTests {
  @Test(
    arguments: [
      ("D0", 0, "D0"), ("D10", 10, "D10"), ("10", 10, "D10"), ("D13", 13, "D13"), ("A0", 14, "A0"),
      ("14", 14, "A0"), ("A5", 19, "A5"), ("19", 19, "A5"), ("09", 9, "D9"),
    ] as [(String, Int, String)])
  func `A pin is named by its letter and number, or by the library's number`(
    _ name: String, _ number: Int, _ canonical: String
  ) {
    #expect(BoardPin(name: name)?.arduino == number)
    #expect(BoardPin(name: name)?.name == canonical)
    #expect(BoardPin(name: name)?.driver == nil)
  }

  @Test(
    arguments: [
      ("pca9685@0x40:3", 0x40, 3, "pca9685@0x40:3"), ("pca9685@0x7f:15", 0x7F, 15, nil),
      ("pca9685@0x4A:0", 0x4A, 0, "pca9685@0x4a:0"),
    ] as [(String, UInt8, UInt8, String?)])
  func `A channel of a servo driver is named by its address and number`(
    _ name: String, _ address: UInt8, _ channel: UInt8, _ canonical: String?
  ) throws {
    let pin = try #require(BoardPin(name: name))
    #expect(pin.driver?.address == address && pin.driver?.channel == channel)
    #expect(pin.arduino == nil)
    #expect(pin.name == canonical ?? name)
  }

  @Test(
    arguments: [
      "", "D", "A", "D14", "A6", "20", "99", "100", "255", "256", "D-1", "D+1", "D1 ", " D1", "B1",
      "d1", "D1:3", "DD1", "AA", "A9999999999999999999", "é", "pca9685", "pca9685@0x40",
      "pca9685@0x40:", "pca9685@0x40:16", "pca9685@0x3F:0", "pca9685@0x80:0", "pca9685@64:0",
      "pca9685@0x40:3:3", "pca9685@0x040:3", "PCA9685@0x40:3",
    ])
  func `Any other name is refused`(_ name: String) {
    #expect(BoardPin(name: name) == nil)
  }

  @Test(arguments: [("A6", 6), ("A7", 7)] as [(String, UInt8)])
  func `A6 and A7 take a voltage but are no digital pins`(_ name: String, _ channel: UInt8) {
    let pin = BoardPin(analogName: name)
    #expect(pin?.name == name && pin?.analogOnlyChannel == channel)
    #expect(pin?.arduino == nil && pin?.driver == nil)
  }

  @Test func `A name for a voltage is that of any pin of the board`() {
    #expect(BoardPin(analogName: "A0") == BoardPin(name: "A0"))
    #expect(BoardPin(analogName: "A8") == nil)
    #expect(BoardPin(analogName: "pca9685@0x40:3") == nil)
    #expect(BoardPin(name: "A5")?.analogOnlyChannel == nil)
  }

  @Test func `A pin is the same after its name is read back`() {
    var generator = SeededGenerator(seed: 17)
    for _ in 0..<1_000 {
      let pin = BoardPin.random(using: &generator)
      #expect(BoardPin(name: pin.name) == pin)
    }
  }

  @Test func `Pins of the board come in order before channels`() {
    let names = ["D2", "D10", "A0", "pca9685@0x40:0", "pca9685@0x40:15", "pca9685@0x41:0"]
    #expect(names.compactMap(BoardPin.init(name:)).sorted().map(\.name) == names)
  }
}
