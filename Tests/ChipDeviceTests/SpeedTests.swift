import Devices
import Sketches
import Testing

@testable import ChipDevice

@Suite struct SpeedTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var sketch: ChipSketch
    var speed: Int?
  }

  /// U2X0 with UBRR0 = 16 is 115 200 baud, UBRR0 = 103 without it 9 600.
  private static let fast = ChipSketch().write(0x02, to: Address.ucsr0a)
    .write(16, to: Address.ubrr0l)
  private static let slow = ChipSketch().write(103, to: Address.ubrr0l)
  private static let sender: UInt8 = 0x08
  private static let receiver: UInt8 = 0x10

  @Test(arguments: [
    Case(
      testDescription: "it sends and never receives",
      sketch: fast.write(sender, to: Address.ucsr0b).pause(40).write(0x41, to: Address.udr0),
      speed: 115_200),
    Case(
      testDescription: "it only receives", sketch: fast.write(receiver, to: Address.ucsr0b),
      speed: 115_200),
    Case(
      testDescription: "it does both",
      sketch: slow.write(sender | receiver, to: Address.ucsr0b).write(0x41, to: Address.udr0),
      speed: 9_600),
    Case(
      testDescription: "its transmitter is on before the speed is set",
      sketch: ChipSketch().write(sender, to: Address.ucsr0b).pause(40)
        .write(103, to: Address.ubrr0l).write(0x41, to: Address.udr0),
      speed: 9_600),
    Case(
      testDescription: "its transmitter is on, and nothing is sent",
      sketch: slow.write(sender, to: Address.ucsr0b), speed: 9_600),
    Case(testDescription: "it uses no USART", sketch: ChipSketch(), speed: nil),
  ])
  func `The speed is that of a program that receives or sends`(_ item: Case) throws {
    #expect(try item.sketch.program.findSpeed() == item.speed)
  }

  /// The speeds that UBRR can set from 16 MHz, according to the data sheet's table 19-12.
  @Test(arguments: [
    (9_615, 9_600), (117_647, 115_200), (57_143, 57_600), (58_824, 57_600), (250_000, 250_000),
    (1_000_000, 1_000_000), (2_404, 2_400), (31_250, 31_250), (100_000, 100_000),
    (222_222, 222_222),
  ])
  func `A speed within 3 % of a usual one is that one`(set: Int, speed: Int) {
    #expect(SerialLine.usualSpeed(near: set) == speed)
  }

  @Test(arguments: [
    (UInt8(0x26), UInt8(0x18), "8E1"), (0x36, 0x18, "8O1"), (0x0E, 0x18, "8N2"),
    (0x06, 0x1C, "9N1"), (0x06, 0x18, "8N1"), (0x26, 0x00, "8N1"),
  ])
  func `The format is the one that the program has set when its port is open`(
    control: UInt8, ucsrB: UInt8, name: String
  ) throws {
    let sketch = ChipSketch().write(control, to: Address.ucsr0c).write(103, to: Address.ubrr0l)
      .write(ucsrB, to: Address.ucsr0b)
    #expect("\(try sketch.program.findFormat())" == name)
  }
}
