import AVR
import Devices
import Sketches
import TestSupport
import Testing
import Traces

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
    var sketch = Self.sketch(0x59, on: 3, Address.portb)
    sketch.words += Self.sketch(0x0F, on: 3, Address.portb).words
    sketch.wiring.receivePin = BoardPin(name: "D10")
    #expect(try Self.outputs(sketch).map(\.output) == [.transmit(0x59), .transmit(0x0F)])
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

  /// Tones of 1 600, 2 400 and 4 800 Hz toggle every three, two and one bits of 9600 baud.
  @Test(arguments: [1, 2, 3, 4, 6] as [UInt64])
  func `A square wave is no serial line`(_ bits: UInt64) {
    let bitCycles: UInt64 = 1_667 * 256
    var receiver = PinReceiver()
    var frames: [PinReceiver.Frame] = []
    for edge in 0..<60 as Range<UInt64> {
      let cycle = 1_000 + edge * bits * 1_667 + edge % 3 * 40
      if let frame = receiver.edge(isHigh: edge % 2 == 1, at: cycle, bitCycles: bitCycles) {
        frames.append(frame)
      }
    }
    #expect(!frames.isEmpty)
    #expect(!frames.contains { PinReceiver.isCertain($0, bitCycles: bitCycles) })
  }

  @Test func `A byte without a stop bit is not certain`() {
    for (last, isCertain) in [(false, false), (true, true)] {
      var receiver = PinReceiver()
      // 0x2D: 1011 0100 from the lowest bit on.
      let levels = [false, true, false, true, true, false, true, false, false, last]
      for (bit, level) in levels.enumerated() where bit == 0 || level != levels[bit - 1] {
        _ = receiver.edge(isHigh: level, at: 1_000 + UInt64(bit) * 1_667, bitCycles: 1_667 * 256)
      }
      let frame = receiver.settle(before: 30_000, bitCycles: 1_667 * 256)
      #expect(frame?.byte == 0x2D)
      #expect(frame.map { PinReceiver.isCertain($0, bitCycles: 1_667 * 256) } == isCertain)
    }
  }

  /// TCCR2A, TCCR2B: OC2A, which is D11, toggles at 8 MHz.
  @Test func `Once USART0 sends, pins that are too fast are not followed any more`() throws {
    var sketch = ChipSketch().write(0x08, to: Address.ddrb).write(0x42, to: 0xB0)
      .write(1, to: 0xB1).pause(100).write(8, to: Address.ucsr0b).write(0x21, to: Address.udr0)
    sketch.wiring.receivePin = BoardPin(name: "D10")
    for (milliseconds, isFollowed) in [(2, true), (20, false)] as [(Int64, Bool)] {
      var device = try sketch.device()
      var recorder = Recorder()
      device.advance(to: .zero + .milliseconds(milliseconds), into: &recorder)
      device.chip.run(until: device.chip.cycle + 1_000)
      #expect((device.chip.takeEvents().count > 500) == isFollowed)
    }
  }

  @Test func `A search for the pin of a sender continues from a saved state`() throws {
    // The state is saved in the middle of a byte on D11. 0xFF alone would not be certain. If USART0
    // has sent before, nothing is searched for.
    var bytes = Self.sketch(0x59, on: 3, Address.portb)
    bytes.words += Self.sketch(0xFF, on: 3, Address.portb).words
    var usart = ChipSketch().write(8, to: Address.ucsr0b).write(0x21, to: Address.udr0)
    usart.words += bytes.words
    for (sketch, first, second) in [(usart, 0x21, nil), (bytes, 0x59, 0xFF)]
      as [(ChipSketch, UInt8, UInt8?)]
    {
      var sketch = sketch
      sketch.wiring.receivePin = BoardPin(name: "D10")
      let header = Header(firmware: .guarded, baud: Self.baud, duration: nil, title: nil)
      let program = try sketch.program
      var device = AVRSource(program).makeDevice(
        for: header, firmware: .guarded, showsPulses: false)
      var recorder = Recorder()
      let split = Instant.zero + .microseconds(5_300)
      device.advance(to: split, into: &recorder)
      var restored = try #require(
        AVRDevice(program, device.state, at: split, showsPulses: false))
      // What began before belongs to the first session.
      device.advance(to: split + .milliseconds(100), into: &recorder)
      let before = recorder.outputs.filter { $0.time <= split }.map(\.output)
      #expect(before == [.transmit(first)])
      var later = Recorder()
      restored.advance(to: split + .milliseconds(100), into: &later)
      #expect(later.outputs.map(\.output) == (second.map { [.transmit($0)] } ?? []))
    }
  }

  @Test func `A pin that the program does not drive is no start bit`() throws {
    // The transmitter is on, off and on again: Serial.end(); Serial.begin().
    let sketch = ChipSketch().write(8, to: Address.ucsr0b).pause(20).write(0, to: Address.ucsr0b)
      .pause(10).write(8, to: Address.ucsr0b).pause(20)
    #expect(try Self.outputs(sketch).isEmpty)
    // It can still be pulled low.
    let low = sketch.write(0, to: Address.ucsr0b).write(2, to: 0x2A).pause(4).write(0, to: 0x2A)
    #expect(try Self.outputs(low).count == 1)
  }

  @Test func `What is sent by software has the host's speed and no format of USART0`() throws {
    // USART0 is at 117 647 baud and 7E1.
    let usart = ChipSketch().write(0x02, to: Address.ucsr0a).write(16, to: Address.ubrr0l)
      .write(0x24, to: Address.ucsr0c).write(0x18, to: Address.ucsr0b)
    var sketch = Self.sketch(0x4B, on: 3, Address.portb)
    sketch.words = usart.words + sketch.words
    let sevenEven = LineFormat(dataSize: 7, parity: .even)
    for (receives, sends) in [(false, false), (false, true), (true, false), (true, true)] {
      sketch.wiring.receivePin = receives ? BoardPin(name: "D10") : nil
      sketch.wiring.transmitPin = sends ? BoardPin(name: "D11") : nil
      let header = Header(firmware: .guarded, baud: Self.baud, duration: nil, title: nil)
      let source = AVRSource(try sketch.program)
      var device = source.makeDevice(for: header, firmware: .guarded, showsPulses: false)
      _ = device.takeForSender()
      var recorder = Recorder()
      device.advance(to: .zero + .milliseconds(2), into: &recorder)
      #expect(device.sendingBaud == (sends ? Self.baud : 117_647))
      device.advance(to: .zero + .milliseconds(20), into: &recorder)
      // Without --tx-pin, the pin is found.
      let isSoftware = sends || receives
      let sent = device.takeForSender()
      let taken = try #require(sent)
      #expect(taken.bytes == (isSoftware ? [0x4B] : []))
      #expect(taken.baud == (isSoftware ? Self.baud : 117_647))
      #expect(device.sendingBaud == taken.baud)
      #expect(device.sendingFormat == (isSoftware ? .standard : sevenEven))
      #expect(device.receivingFormat == (receives ? .standard : sevenEven))
      #expect(source.findSpeed() == (receives ? nil : 115_200))
      #expect(source.findFormat() == (receives ? .standard : sevenEven))
    }
  }

  /// At 50 baud a byte takes 200 ms, longer than anything else takes to be decided.
  @Test func `Events are in order even if the host reads more slowly than the session`() throws {
    // D1 is low for 24 ms.
    let sketch = ChipSketch().write(2, to: 0x2B).write(2, to: 0x2A).pause(200).write(0, to: 0x2B)
      .pause(255).pause(255).write(2, to: 0x2B)
    var replay = Replay(
      try sketch.device(), until: .zero + .milliseconds(500), kinds: [.transmit])
    var events: [Event] = []
    let inputs =
      [Event(.zero + .milliseconds(1), .baud(50))]
      + (1...20).map { Event(.zero + .milliseconds($0 * 20), .mark("a")) }
    for event in inputs { replay.take(event) { events.append($0) } }
    replay.finish(after: .zero + .milliseconds(500)) { events.append($0) }
    #expect(events.count { $0.output != nil } == 1)
    #expect(events.map(\.time) == events.map(\.time).sorted())
  }

  @Test func `A receiver by software is named if USART0's is off`() throws {
    // D10 with its pull-up, PCMSK0 and PCICR, as SoftwareSerial does; then no pin at all.
    let soft = ChipSketch().write(4, to: Address.portb).write(4, to: 0x6B).write(1, to: 0x68)
    for (sketch, time, expected) in [
      (
        soft, 100,
        "the USART was off at 0.101042 s, so a byte was lost: if SoftwareSerial reads D10, "
          + "`--rx-pin` connects the sender there"
      ),
      (ChipSketch(), 2_500, "the USART was off at 2.501042 s, so a byte was lost"),
      (ChipSketch(), 100, nil), (soft.write(0x10, to: Address.ucsr0b), 100, nil),
      // It sleeps in power-down mode: SMCR, SLEEP.
      (soft.write(0x10, to: Address.ucsr0b).write(5, to: 0x53).sleep, 100, nil),
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
