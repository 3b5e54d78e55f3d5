import AVR
import Devices
import TestSupport
import Testing
import Traces
import Turret

@testable import ChipDevice

@Suite("Bytes that are sent by software") struct TransmitPinTests {
  @Test(arguments: [300, 9_600, 115_200, 1_000_000], [97, 100, 103] as [UInt64])
  func `Bytes are read in the middle of their bits`(_ baud: UInt64, _ percent: UInt64) {
    var random = SeededGenerator(seed: baud + percent)
    let bitCycles = 16_000_000 * 256 / baud
    let sent = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
    var receiver = PinReceiver()
    var read: [UInt8] = []
    var cycle: UInt64 = 1_000
    func edge(_ isHigh: Bool, _ cycle: UInt64) {
      if let frame = receiver.edge(isHigh: isHigh, at: cycle, bitCycles: bitCycles) {
        read.append(frame.byte)
      }
    }
    for byte in sent {
      let word = UInt16(byte) << 1 | 0x200
      for bit in 0..<10 as Range<UInt64> {
        edge(word >> bit & 1 == 1, cycle + (bit * bitCycles * 100 / percent) >> 8)
      }
      cycle += (UInt64.random(in: 10...30, using: &random) * bitCycles * 100 / percent) >> 8 + 1
    }
    if let last = receiver.settle(before: cycle + 20 * bitCycles >> 8, bitCycles: bitCycles) {
      read.append(last.byte)
    }
    #expect(read == sent)
  }

  @Test func `A spike is no start bit, and a line that stays low sends nothing`() {
    let bitCycles: UInt64 = 1_667 * 256
    var receiver = PinReceiver()
    for (cycle, isHigh) in [(1_000, false), (1_500, true), (20_000, false), (90_000, true)] {
      let frame = receiver.edge(isHigh: isHigh, at: UInt64(cycle), bitCycles: bitCycles)
      #expect(frame == nil)
    }
    #expect(receiver.settle(before: 1_000_000, bitCycles: bitCycles) == nil)
    #expect(receiver.start == nil)
  }

  /// A bit takes two pauses and a write, 1 545 cycles.
  private static let baud = 10_356

  /// Sends a byte with the bits of a register of a port, least significant bit first.
  private static func sketch(_ byte: UInt8, on bit: UInt8, _ port: UInt16) -> ChipSketch {
    let high: UInt8 = 1 << bit
    var sketch = ChipSketch().write(high, to: port).write(high, to: port - 1).pause(100)
    let word = UInt16(byte) << 1 | 0x200
    for bit in 0..<10 { sketch = sketch.write(word >> bit & 1 == 1 ? high : 0, to: port).pause(2) }
    return sketch
  }

  private static func outputs(_ sketch: ChipSketch) throws -> [TimedOutput] {
    let header = Header(firmware: .guarded, baud: baud, duration: nil, title: nil)
    var device = AVRSource(try sketch.program).makeDevice(
      for: header, firmware: .guarded, showsPulses: false)
    var recorder = Recorder()
    // However time is divided.
    for step in 1...80 as ClosedRange<Int64> {
      device.advance(to: .zero + .microseconds(step * 500), into: &recorder)
    }
    return recorder.outputs
  }

  @Test(arguments: [0x59, 0xFF, 0x00, 0x55] as [UInt8])
  func `A byte that is put on D1 by hand arrives at its start bit`(_ byte: UInt8) throws {
    let outputs = try Self.outputs(Self.sketch(byte, on: 1, 0x2B))
    #expect(outputs.map(\.output) == [.transmit(byte)])
    let time = try #require(outputs.first?.time)
    // 100 pauses of 48.2 us come first.
    #expect(abs(time.seconds - 0.00482) < 0.0001)
  }

  @Test func `With --tx-pin the bytes of that pin arrive, and USART0's do not`() throws {
    // USART0 sends too: UCSR0B and UDR0.
    var sketch = Self.sketch(0x4B, on: 3, Address.portb)
    let usart = ChipSketch().write(8, to: Address.ucsr0b).write(0x21, to: Address.udr0)
    sketch.words = usart.words + sketch.words
    let onWire = try Self.outputs(sketch).map(\.output)
    #expect(onWire == [.transmit(0x21)])
    sketch.wiring.transmitPin = BoardPin(name: "D11")
    let onPin = try Self.outputs(sketch).map(\.output)
    #expect(onPin == [.transmit(0x4B)])
  }

  @Test func `The answers of a sketch that receives by software are found`() throws {
    var sketch = Self.sketch(0x55, on: 3, Address.portb)
    sketch.words += Self.sketch(0x0F, on: 3, Address.portb).words
    sketch.wiring.receivePin = BoardPin(name: "D10")
    #expect(try Self.outputs(sketch).map(\.output) == [.transmit(0x55), .transmit(0x0F)])
    // A single low bit and a relay are no bytes for certain.
    var other = Self.sketch(0xFF, on: 3, Address.portb)
    other = other.write(0, to: Address.portb).pause(30).write(8, to: Address.portb).pause(3)
    other.wiring.receivePin = BoardPin(name: "D10")
    #expect(try Self.outputs(other).isEmpty)
    // The speed is another.
    var slow = ChipSketch().write(8, to: Address.portb).write(8, to: Address.ddrb).pause(100)
    for bit in 0..<8 { slow = slow.write(bit % 2 == 0 ? 0 : 8, to: Address.portb).pause(3) }
    slow.wiring.receivePin = BoardPin(name: "D10")
    #expect(try Self.outputs(slow).isEmpty)
  }

  @Test func `A receiver by software is named if USART0's is off`() throws {
    // D10 with its pull-up, PCMSK0 and PCICR, as SoftwareSerial does; then no pin at all.
    let soft = ChipSketch().write(4, to: Address.portb).write(4, to: 0x6B).write(1, to: 0x68)
    for (sketch, time, expected) in [
      (soft, 100, "nothing listens on the USART; D10 is read by SoftwareSerial? `--rx-pin D10`"),
      (ChipSketch(), 2_500, "nothing listened on the USART at 2.5"), (ChipSketch(), 100, nil),
      (soft.write(0x10, to: Address.ucsr0b), 100, nil),
    ] as [(ChipSketch, Int64, String?)] {
      var device = try sketch.device()
      var recorder = Recorder()
      let instant = Instant.zero + .milliseconds(time)
      device.advance(to: instant, into: &recorder)
      device.send([0x41], at: instant)
      device.advance(to: instant + .milliseconds(5), into: &recorder)
      let remarks = device.remarks.filter { $0.contains("the USART") }
      #expect(remarks.count == (expected == nil ? 0 : 1))
      if let expected { #expect(remarks.first?.contains(expected) == true, "\(remarks)") }
    }
  }
}
