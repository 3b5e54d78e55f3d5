import AVR
import ChipDevice
import Devices
import Sketches
import Testing

@Suite struct ReceivePinTests {
  private static let baud = 9_600
  private static let bit = Interval(nanoseconds: 1_000_000_000 / Int64(baud))
  private static let start = Instant.zero + .milliseconds(5)
  private static let pin = Pin(arduino: 10)!

  private static var sketch: ChipSketch {
    var sketch = ChipSketch()
    sketch.wiring.receivePin = BoardPin(arduino: 10)
    return sketch
  }

  private static func device() throws -> AVRDevice {
    try sketch.device()
  }

  private static func advance(_ device: inout AVRDevice, to instant: Instant) {
    var recorder = Recorder()
    device.advance(to: instant, into: &recorder)
  }

  @Test func `An idle line is high`() throws {
    var device = try Self.device()
    Self.advance(&device, to: Self.start)
    #expect(device.chip.level(of: Self.pin))
  }

  @Test(arguments: [0x00, 0x55, 0xA5, 0xFF] as [UInt8])
  func `The bits of each byte appear on the pin, however time is divided`(_ byte: UInt8) throws {
    var inSteps = try Self.device()
    Self.advance(&inSteps, to: Self.start)
    inSteps.send([byte, ~byte], at: Self.start)
    for index in 0..<20 as Range<Int64> {
      let middle = Self.start + Interval(nanoseconds: Self.bit.nanoseconds * (2 * index + 1) / 2)
      let sent = index < 10 ? byte : ~byte
      let expected =
        switch index % 10 {
        case 0: false
        case 9: true
        default: sent >> UInt8(index % 10 - 1) & 1 == 1
        }
      Self.advance(&inSteps, to: middle)
      #expect(inSteps.chip.level(of: Self.pin) == expected, "bit \(index)")

      var atOnce = try Self.device()
      atOnce.send([byte, ~byte], at: Self.start)
      Self.advance(&atOnce, to: middle)
      #expect(atOnce.chip.level(of: Self.pin) == expected, "bit \(index) at once")
    }
    Self.advance(&inSteps, to: Self.start + .milliseconds(10))
    #expect(inSteps.onTheWayCount == 0)
  }

  @Test func `The USART receives nothing`() throws {
    let sketch = Self.sketch.write(0x10, to: Address.ucsr0b)
    var device = try sketch.device()
    device.send([0x55], at: Self.start)
    var recorder = Recorder()
    device.advance(to: Self.start + .milliseconds(10), into: &recorder)
    #expect(recorder.outputs.isEmpty)
  }
}
