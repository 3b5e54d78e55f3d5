import Devices
import Sketches
import Testing

@testable import AVR
@testable import ChipDevice

@Suite("Servo events of the emulated chip")
struct ServoEventTests {
  private static func servos(_ sketch: ChipSketch) throws -> [UInt16] {
    var device = try sketch.device()
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(500), into: &recorder)
    return recorder.outputs.compactMap {
      if case .servo(_, let pulse, _) = $0.output { pulse } else { nil }
    }
  }

  /// Timer 1 in fast PWM to ICR1 with clk/8 on pin 9: half microseconds.
  private static func timer(period: UInt16) -> ChipSketch {
    ChipSketch().write(2, to: Address.ddrb).write16(period * 2 - 1, to: Address.icr1)
      .write16(2_999, to: Address.ocr1a).write(0x82, to: Address.tccr1a)
      .write(0x1A, to: Address.tccr1b)
  }

  struct Widths: Sendable {
    var period: UInt16
    var written: [UInt16]
    var expected: [UInt16]
  }

  /// Analog servos take periods of 3 to 25 ms and pulses of 400 to 2 600 us.
  static let widths = [
    Widths(period: 20_000, written: [1_000, 1_000, 2_400], expected: [1_000, 2_400]),
    Widths(period: 3_000, written: [500], expected: [500]),
    Widths(period: 25_000, written: [500], expected: [500]),
    Widths(period: 2_999, written: [500], expected: []),
    Widths(period: 25_001, written: [500], expected: []),
    Widths(period: 20_000, written: [399, 400, 2_600, 2_601], expected: [400, 2_600]),
    Widths(period: 20_000, written: [1, 40, 20_000], expected: []),
  ]

  @Test(arguments: widths)
  func `A width is a servo's if its period and its pulse are`(_ row: Widths) throws {
    var sketch = Self.timer(period: row.period).pause(10)
    for width in row.written { sketch = sketch.write16(width * 2 - 1, to: Address.ocr1a).pause(10) }
    #expect(try Self.servos(sketch) == row.expected)
  }

  /// Arduino's analogWrite on pin 9: phase correct PWM with 8 bits and clk/64, 490 Hz.
  @Test func `analogWrite on the servo's pin is not a servo`() throws {
    let sketch = ChipSketch().write(2, to: Address.ddrb).write(0x03, to: Address.tccr1b)
      .write(0x81, to: Address.tccr1a).write16(20, to: Address.ocr1a).pause(100)
      .write16(40, to: Address.ocr1a).pause(100).write16(200, to: Address.ocr1a)
    #expect(try Self.servos(sketch) == [])
    #expect(try !sketch.showsStores)
  }

  /// Arduino's library has 12 servos of 3 bytes.
  @Test func `The table of Arduino's servo library is understood`() throws {
    var sketch = ChipSketch().write16(2 * (1_500 - 2), to: 0x101).write(0x40 | 9, to: 0x100)
      .write16(2 * (1_000 - 2), to: 0x101)
    sketch.tableSize = 36
    #expect(try sketch.showsStores)
    #expect(try Self.servos(sketch) == [1_000])
  }

  /// VarSpeedServo has 12 servos of 8 bytes, ServoTimer2 9 of 3 bytes.
  @Test(arguments: [96, 27, 3, 37, 0] as [UInt32])
  func `A table of another size is not understood, and a note says so`(size: UInt32) throws {
    var sketch = ChipSketch().write(0x40 | 9, to: 0x100).write16(2 * (1_000 - 2), to: 0x101)
    sketch.tableSize = size
    #expect(try !sketch.showsStores)
    #expect(try Self.servos(sketch) == [])
    let note =
      "a.elf: note: what it stores for the servo cannot be seen, only pulses: "
      + "its table of servos has \(size) bytes, that of Arduino's servo library has 36"
    #expect(try sketch.device().remarks.contains(note))
  }
}
