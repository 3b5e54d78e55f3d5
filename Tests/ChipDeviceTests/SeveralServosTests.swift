import AVR
import ChipDevice
import Devices
import TestSupport
import Testing
import Traces
import Turret

@Suite("Several servos and pins of the emulated chip")
struct SeveralServosTests {
  private static func outputs(
    _ sketch: ChipSketch, pins: PinSelection = .some([]), showsPulses: Bool = false,
    steps: [Interval] = [.seconds(1)]
  ) throws -> [TimedOutput] {
    var device = try sketch.device(showsPulses: showsPulses)
    device.watch(pins)
    var recorder = Recorder()
    var now = Instant.zero
    for step in steps {
      now += step
      device.advance(to: now, into: &recorder)
    }
    return recorder.outputs
  }

  private static func texts(_ outputs: [TimedOutput]) -> [String] {
    outputs.map { "\($0.output)" }
  }

  private static let d10 = BoardPin(name: "D10")!
  private static let d7 = BoardPin(name: "D7")!

  /// Drives pulses of these multiples of 48.2 us on pins of port B, each after a pause of 12.3 ms.
  private static func pulses(_ widths: [UInt8], on bits: UInt8) -> ChipSketch {
    var sketch = ChipSketch().write(bits, to: Address.ddrb)
    for width in widths {
      sketch = sketch.pause(255).write(bits, to: Address.portb).pause(width)
        .write(0, to: Address.portb)
    }
    return sketch
  }

  @Test func `Pulses of a program without a table are servo events at their rising edges`() throws {
    let sketch = Self.pulses([20, 20, 20, 30, 30], on: 4)
    let outputs = try Self.outputs(sketch)
    #expect(Self.texts(outputs) == ["servo 40 (964 us) on D10", "servo 87 (1446 us) on D10"])
    let period = outputs[1].time - outputs[0].time
    #expect((period - .microseconds(3 * (12_290 + 965))).magnitude < .microseconds(50))
    // The first rising edge, 12.3 ms after the start.
    #expect(outputs[0].time < .zero + .milliseconds(13))
    #expect(try !sketch.showsStores)
    #expect(try sketch.device().capabilities.lag == .milliseconds(75))
  }

  @Test func `The session's own servo has no name, and another pin's has one`() throws {
    let outputs = try Self.outputs(Self.pulses([20, 20, 20], on: 2 | 4))
    #expect(Set(Self.texts(outputs)) == ["servo 40 (964 us)", "servo 40 (964 us) on D10"])
  }

  @Test func `Pulses are shown of each servo`() throws {
    let outputs = try Self.outputs(Self.pulses([20, 20, 20, 20], on: 4), showsPulses: true)
    #expect(outputs.count { $0.output.kind == .pulse && $0.output.pin == Self.d10 } == 4)
    #expect(outputs == outputs.sorted { $0.time < $1.time })
  }

  @Test func `The table's servos are named, and their own range gives the degrees`() throws {
    var sketch = ChipSketch()
      // The objects: index 0 with 1000 to 2000 us, index 1 as attached without limits.
      .write(0, to: 0x140).write(UInt8(bitPattern: -114), to: 0x141).write(100, to: 0x142)
      .write(1, to: 0x143).write(0, to: 0x144).write(0, to: 0x145)
      .write(0x40 | 9, to: 0x100).write(0x40 | 10, to: 0x103)
      .write16(2 * (1_667 - 2), to: 0x101).write16(2 * (1_667 - 2), to: 0x104)
    sketch.tableSize = 36
    sketch.objects = [0x140, 0x143]
    #expect(
      try Self.texts(Self.outputs(sketch)) == [
        "servo 120 (1667 us)", "servo 109 (1667 us) on D10",
      ])
    #expect(try sketch.showsStores)
    #expect(try sketch.device().capabilities.lag == .zero)
  }

  @Test func `Data with an initial value is no object of a servo`() throws {
    var sketch = ChipSketch()
      .write(0, to: 0x140).write(UInt8(bitPattern: -114), to: 0x141).write(100, to: 0x142)
      .write(0x40 | 9, to: 0x100).write16(2 * (1_667 - 2), to: 0x101)
    sketch.tableSize = 36
    sketch.objects = [0x140]
    sketch.firstUninitialized = 0x143
    #expect(try Self.texts(Self.outputs(sketch)) == ["servo 109 (1667 us)"])
    sketch.firstUninitialized = 0x140
    #expect(try Self.texts(Self.outputs(sketch)) == ["servo 120 (1667 us)"])
  }

  @Test func `A timer's other output is a servo of its own`() throws {
    // Timer 1 in fast PWM to ICR1 with clk/8 on pins 9 and 10.
    let sketch = ChipSketch().write(6, to: Address.ddrb).write16(39_999, to: Address.icr1)
      .write16(2_999, to: Address.ocr1a).write16(2_999, to: Address.ocr1b)
      .write(0xA2, to: Address.tccr1a).write(0x1A, to: Address.tccr1b).pause(10)
      .write16(1_999, to: Address.ocr1b).pause(10).write16(3_999, to: Address.ocr1a)
    #expect(
      try Self.texts(Self.outputs(sketch)) == ["servo 44 (1000 us) on D10", "servo 141 (2000 us)"])
  }

  @Test func `One remark says where the only servo is`() throws {
    let note =
      "a.elf: note: its servo is on D10, which its events name; --pin D10 makes it the session's "
      + "own"
    for (bits, isNoted) in [(4, true), (2, false), (6, false)] as [(UInt8, Bool)] {
      var device = try Self.pulses([20, 20, 20], on: bits).device()
      var recorder = Recorder()
      device.advance(to: .zero + .seconds(1), into: &recorder)
      #expect(device.remarks.contains(note) == isNoted)
    }
  }

  // MARK: Levels

  @Test func `The levels of a watched pin are events, however long they last`() throws {
    // Bit 3 of port B is D11, 2 is D10.
    let sketch = ChipSketch().write(0x0C, to: Address.ddrb).pause(1)
      .write(0x0C, to: Address.portb).pause(255).pause(255).pause(255).write(8, to: Address.portb)
      .pause(1).write(0, to: Address.portb)
    let all = ["D10 high", "D11 high", "D10 low", "D11 low"]
    #expect(try Self.texts(Self.outputs(sketch, pins: .all)) == all)
    #expect(
      try Self.texts(Self.outputs(sketch, pins: .some([Self.d10, Self.d7])))
        == ["D10 high", "D10 low"])
    #expect(try Self.outputs(sketch).isEmpty)
  }

  @Test func `With all pins, those of servos are left out unless they are named`() throws {
    let sketch = Self.pulses([20, 20, 20], on: 4)
    #expect(try Self.texts(Self.outputs(sketch, pins: .all)) == ["servo 40 (964 us) on D10"])
    let named = try Self.texts(Self.outputs(sketch, pins: .some([Self.d10])))
    #expect(named.count { $0.hasPrefix("D10") } == 6)
  }

  @Test func `Outputs do not depend on how often the chip is looked at`() throws {
    var generator = SeededGenerator(seed: 1_701)
    for round in 0..<12 {
      var sketch = ChipSketch().write(0x3F, to: Address.ddrb)
      for _ in 0..<30 {
        sketch = sketch.write(.random(in: 0...63, using: &generator), to: Address.portb)
          .pause(.random(in: 1...255, using: &generator))
      }
      var steps: [Interval] = []
      var rest = Interval.seconds(1)
      while rest > .zero {
        let step = min(rest, .microseconds(.random(in: 1...60_000, using: &generator)))
        steps.append(step)
        rest = rest - step
      }
      let whole = try Self.outputs(sketch, pins: .all, showsPulses: round % 2 == 0)
      let parts = try Self.outputs(
        sketch, pins: .all, showsPulses: round % 2 == 0, steps: steps)
      #expect(whole == parts, "seed 1701, round \(round)")
      #expect(whole == whole.sorted { $0.time < $1.time }, "seed 1701, round \(round)")
    }
  }

  /// The sketch drives pulses, a relay on D11 and sends a byte after each.
  @Test func `A live session replays to the identical trace`() throws {
    var sketch = ChipSketch().write(0x08, to: Address.ucsr0b).write(0x0C, to: Address.ddrb)
    for width in [20, 20, 20, 30, 31, 40] as [UInt8] {
      sketch = sketch.pause(255).write(0x0C, to: Address.portb).pause(width)
        .write(0x08, to: Address.portb).pause(200).write(0, to: Address.portb)
        .write(0x41, to: Address.udr0)
    }
    let kinds: Set<Output.Kind> = [.servo, .pin, .transmit, .tone, .lost]
    var device = try sketch.device()
    device.watch(.all)
    var events: [Event] = []
    var session = LiveSession(device, baud: 9_600, kinds: kinds)
    var generator = SeededGenerator(seed: 1_702)
    var now = Instant.zero
    while now < .zero + .milliseconds(400) {
      now += .microseconds(.random(in: 1...30_000, using: &generator))
      session.pass(to: now) { events.append($0) }
      if Bool.random(using: &generator) {
        session.take(.receive([0x58]), at: now) { events.append($0) }
      }
    }
    session.finish(at: now) { events.append($0) }

    var replay = Replay(device, until: events.last?.time, kinds: kinds)
    var again: [Event] = []
    for event in events { replay.take(event) { again.append($0) } }
    replay.finish(after: events.last?.time ?? .zero) { again.append($0) }
    #expect(again == events)
    #expect(events.count { $0.output?.kind == .servo } == 4)
    #expect(events.count { $0.output?.kind == .pin } > 10)
    #expect(events.count { $0.output?.kind == .transmit } == 6)
  }
}
