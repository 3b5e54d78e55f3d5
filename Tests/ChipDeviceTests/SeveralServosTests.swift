import Devices
import Engine
import Sketches
import TestSupport
import Testing
import Traces

@testable import AVR
@testable import ChipDevice

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

  /// Without where pulses begin and stop.
  private static func texts(_ outputs: [TimedOutput]) -> [String] {
    texts(all: outputs.filter { $0.output.kind != .attached && $0.output.kind != .detached })
  }

  private static func texts(all outputs: [TimedOutput]) -> [String] {
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
    let outputs = try Self.outputs(sketch).filter { $0.output.kind == .servo }
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

  /// Sets a servo's byte in the table, and stores a width.
  private static func start(_ sketch: ChipSketch, _ index: UInt16 = 0, pin: UInt8 = 9) -> ChipSketch
  {
    sketch.write(0x40 | pin, to: 0x100 + 3 * index)
  }

  private static func store(
    _ sketch: ChipSketch, _ index: UInt16 = 0, pulse: UInt16 = 1_667
  ) -> ChipSketch {
    sketch.write16(2 * (pulse - 2), to: 0x101 + 3 * index)
  }

  private static func object(
    _ sketch: ChipSketch, at address: UInt16, _ bytes: [UInt8]
  ) -> ChipSketch {
    zip(address..., bytes).reduce(sketch) { $0.write($1.1, to: $1.0) }
  }

  private static let attach = "_ZN5Servo6attachEi"
  private static let attachRange = "_ZN5Servo6attachEiii"
  private static let write = "_ZN5Servo5writeEi"
  /// The bytes of an object with index 0 and 1000 to 2000 us.
  private static let narrow: [UInt8] = [0, UInt8(bitPattern: -114), 100]

  struct Attached: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sketch: ChipSketch
    var degrees: [Int]
    var isKnown = true
  }

  /// 1667 us are 120 degrees in 1000 to 2000 us, and 109 in the standard range.
  static let attached = [
    Attached(
      testDescription: "attach with a range",
      sketch: store(
        start(ChipSketch().enter(attachRange, this: 0x200, minimum: 1_000, maximum: 2_000))),
      degrees: [120]),
    Attached(
      testDescription: "attach without one",
      sketch: store(start(ChipSketch().enter(attach, this: 0x200))), degrees: [109]),
    Attached(
      testDescription: "two servos of different ranges",
      sketch: store(
        store(
          start(
            start(
              object(ChipSketch(), at: 0x300, [1])
                .enter(attachRange, this: 0x200, minimum: 1_000, maximum: 2_000)
            ).enter(attach, this: 0x300), 1, pin: 10)), 1), degrees: [120, 109]),
    Attached(
      testDescription: "attached again with another range",
      sketch: store(
        start(ChipSketch().enter(attachRange, this: 0x200, minimum: 1_000, maximum: 2_000))
          .enter(attach, this: 0x200)), degrees: [109]),
    Attached(
      testDescription: "a call that is not seen starts the pulses again",
      sketch: store(
        start(
          start(ChipSketch().enter(attachRange, this: 0x200, minimum: 1_000, maximum: 2_000))
            .write(9, to: 0x100))), degrees: [109], isKnown: false),
    Attached(
      testDescription: "a copy of attach with other arguments, and write",
      sketch: store(
        start(object(ChipSketch(), at: 0x200, narrow))
          .enter(attachRange + ".constprop.13", this: 9).enter(write, this: 0x200)),
      degrees: [120]),
    Attached(
      testDescription: "a copy of attach with other arguments, and no write",
      sketch: store(start(ChipSketch().enter(attachRange + ".constprop.13", this: 9))),
      degrees: [109], isKnown: false),
    Attached(
      testDescription: "an object that contradicts the call",
      sketch: store(
        start(
          object(ChipSketch(), at: 0x200, [0, 12, 13])
            .enter(attachRange, this: 0x200, minimum: 1_000, maximum: 2_000)
        ).enter(write, this: 0x200)), degrees: [109], isKnown: false),
    Attached(
      testDescription: "no functions, and three bytes that look like an object",
      sketch: store(start(object(ChipSketch(), at: 0x140, narrow))), degrees: [109], isKnown: false),
    Attached(
      testDescription: "a derived class with a range, of a library without one",
      sketch: store(
        start(object(ChipSketch(), at: 0x140, narrow).enter(attach, this: 0x140))
          .enter("_ZN5Servo17writeMicrosecondsEi", this: 0x140), pulse: 1_666), degrees: [120]),
    Attached(
      testDescription: "a derived class with two more bytes, of a library without ranges",
      sketch: store(
        start(object(ChipSketch(), at: 0x140, narrow).enter(attach, this: 0x140))
          .enter("_ZN5Servo17writeMicrosecondsEi", this: 0x140)), degrees: [109]),
  ]

  @Test(arguments: attached)
  func `The range is that of the attach, and a note says where it is not known`(
    _ row: Attached
  ) throws {
    var sketch = row.sketch
    sketch.tableSize = 36
    // What looks like an object does not matter.
    sketch.objects = [0x140, 0x143]
    var device = try sketch.device()
    var recorder = Recorder()
    device.advance(to: .zero + .seconds(1), into: &recorder)
    let degrees = recorder.outputs.compactMap {
      if case .servo(let degrees, _, _) = $0.output { Int(degrees) } else { nil }
    }
    #expect(degrees == row.degrees)
    let note =
      "a.elf: note: it does not show its servos' ranges: their angles are those of 544 to 2400 us "
      + "(--servo-range)"
    #expect(device.remarks.contains(note) == !row.isKnown)
    #expect(try sketch.showsStores)
  }

  struct Scale: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var functions = [attachRange, writeMicroseconds]
    var isOptimized = false
    var stated: ServoRange?
    var degrees: UInt8
    var note: String?
  }

  private static let writeMicroseconds = "_ZN5Servo17writeMicrosecondsEi"

  static let scales = [
    Scale(
      testDescription: "microseconds only", degrees: 109,
      note: "it sets its servos in microseconds: their angles are those of 544 to 2400 us "
        + "(--servo-range)"),
    Scale(
      testDescription: "microseconds only, and a stated range", stated: ServoRange(800, 2_200),
      degrees: 111,
      note: "--servo-range is used for all its servos: their angles are those of 800 to 2200 us"),
    Scale(
      testDescription: "degrees too", functions: [attachRange, writeMicroseconds, write],
      degrees: 120),
    Scale(
      testDescription: "degrees too, and a stated range",
      functions: [attachRange, writeMicroseconds, write], stated: .standard, degrees: 109,
      note: "--servo-range is used for all its servos: their angles are those of 544 to 2400 us"),
    Scale(
      testDescription: "link-time optimization can have hidden the degrees", isOptimized: true,
      degrees: 120),
  ]

  @Test(arguments: scales)
  func `A sketch that sets microseconds has no range of its own, and one that is stated is obeyed`(
    _ row: Scale
  ) throws {
    var sketch = Self.object(ChipSketch(), at: 0x200, Self.narrow)
    for name in row.functions {
      sketch = sketch.enter(name, this: 0x200, minimum: 1_000, maximum: 2_000)
      if name == Self.attachRange { sketch = Self.start(sketch) }
    }
    sketch = Self.store(sketch)
    sketch.tableSize = 36
    sketch.isOptimized = row.isOptimized
    sketch.wiring.servoRange = row.stated
    var device = try sketch.device()
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(100), into: &recorder)
    let degrees = recorder.outputs.compactMap {
      if case .servo(let degrees, _, _) = $0.output { degrees } else { nil }
    }
    #expect(degrees == [row.degrees])
    let notes = device.remarks.filter { $0.contains("their angles") }
    #expect(notes == (row.note.map { ["a.elf: note: \($0)"] } ?? []))
  }

  /// Two objects that the debug information shows, at 0x200 and 0x210.
  @Test func `The first servo is in a variable only if one may be it`() {
    for (bytes, isKnown) in [
      ([1, 0, 0, 2, 0, 0], false), ([1, 0, 0, 0, 0, 0], true), ([0, 0, 0, 0, 0, 0], true),
      ([1, 142, 100, 2, 0, 0], false),
    ] as [([UInt8], Bool)] {
      var ranges = ServoRanges(
        SymbolTable([]),
        [
          ServoObject(address: 0x200, hasRange: true), ServoObject(address: 0x210, hasRange: true),
        ])
      for (index, byte) in bytes.enumerated() {
        ranges.stored(byte, at: 0x200 + UInt16(index / 3 * 0x10 + index % 3))
      }
      #expect(ranges.range(of: 0, for: 1_666) == (isKnown ? .standard : nil), "\(bytes)")
    }
  }

  // MARK: Begin and end

  private static func changes(_ sketch: ChipSketch) throws -> [String] {
    try outputs(sketch).filter { $0.output.kind == .attached || $0.output.kind == .detached }
      .map { "\($0.output)" }
  }

  @Test func `The table shows where pulses begin and stop`() throws {
    var sketch = ChipSketch().write16(3_000, to: 0x101).write(0x49, to: 0x100)
      .write16(2 * (1_000 - 2), to: 0x101).write(9, to: 0x100).write(0x49, to: 0x100)
      .write(0x4A, to: 0x100)
    sketch.tableSize = 36
    #expect(
      try Self.changes(sketch) == [
        "pulses of 1500 us begin on D9", "the pulses stop on D9", "pulses of 1000 us begin on D9",
        "the pulses stop on D9", "pulses of 1000 us begin on D10",
      ])
  }

  @Test func `The width that is stored after an attach is an event, even if it is the same`() throws
  {
    let store = { (sketch: ChipSketch) in sketch.write16(2 * (1_000 - 2), to: 0x101) }
    var sketch = store(
      store(store(ChipSketch().write(0x49, to: 0x100))).write(9, to: 0x100)
        .write(0x49, to: 0x100))
    sketch.tableSize = 36
    let texts = try Self.outputs(sketch).filter { $0.output.kind == .servo }
    #expect(texts.count == 2)
    let again = try Self.outputs(store(sketch)).filter { $0.output.kind == .servo }
    #expect(again.count == 2)
  }

  @Test func `A detach in the middle of a pulse leaves the pin high, and a note says so`() throws {
    var sketch = ChipSketch().write(2, to: Address.ddrb).write(0x49, to: 0x100)
      .write(2, to: Address.portb).write(9, to: 0x100).pause(20).write(0, to: Address.portb)
    sketch.tableSize = 36
    #expect(
      try Self.changes(sketch) == [
        "pulses of 2 us begin on D9", "the pulses stop on D9, which stays high",
        "the pulses stop on D9",
      ])
    var device = try sketch.device()
    var recorder = Recorder()
    device.advance(to: .zero + .seconds(1), into: &recorder)
    #expect(device.remarks.contains { $0.contains("in the middle of a pulse, which left the pin") })
  }

  @Test func `Pulses show by themselves where they begin and stop`() throws {
    // The period is 13.3 ms. After a pause, one more pulse; the last has no end.
    let sketch = Self.pulses([20, 20, 20, 30], on: 4).pause(255).pause(255).pause(255)
      .write(4, to: Address.portb).pause(30).write(0, to: Address.portb).pause(255)
      .write(4, to: Address.portb)
    let outputs = try Self.outputs(sketch)
    #expect(
      outputs.map { "\($0.output)" } == [
        "pulses of 964 us begin on D10", "servo 40 (964 us) on D10", "servo 87 (1446 us) on D10",
        "the pulses stop on D10", "pulses of 1446 us begin on D10",
        "the pulses stop on D10, which stays high",
      ])
    #expect(outputs == outputs.sorted { $0.time < $1.time })
    // A period after the last rising edge.
    let stop = outputs[3].time - outputs[2].time
    #expect((stop - .microseconds(12_290 + 965)).magnitude < .microseconds(600))
  }

  @Test func `A timer's pulses begin at the first edge, unless a store has told their width`()
    throws
  {
    let timer = { (width: UInt16) in
      ChipSketch().write(2, to: Address.ddrb).write16(39_999, to: Address.icr1)
        .write16(width, to: Address.ocr1a).write(0x82, to: Address.tccr1a)
        .write(0x1A, to: Address.tccr1b)
    }
    #expect(
      try Self.texts(all: Self.outputs(timer(2_999).pause(255).pause(255).pause(255)))
        == ["pulses of 1500 us begin on D9"])
    let told = timer(2_999).write16(1_999, to: Address.ocr1a).pause(255).pause(255)
      .write(0, to: Address.tccr1a)
    #expect(
      try Self.texts(all: Self.outputs(told)).prefix(2)
        == ["servo 44 (1000 us)", "the pulses stop on D9"])
  }

  /// Timer 1 in fast PWM to ICR1 with clk/8 on D9: half microseconds. OC1A is low until the counter
  /// has passed TOP for the first time.
  private static func timer(_ width: UInt16) -> ChipSketch {
    ChipSketch().write(2, to: Address.ddrb).write16(39_999, to: Address.icr1)
      .write16(width * 2 - 1, to: Address.ocr1a).write(0x82, to: Address.tccr1a)
      .write(0x1A, to: Address.tccr1b)
  }

  private static func width(_ sketch: ChipSketch, _ width: UInt16) -> ChipSketch {
    sketch.write16(width * 2 - 1, to: Address.ocr1a)
  }

  /// Longer than a period of 20 ms.
  private static func wait(_ sketch: ChipSketch) -> ChipSketch {
    sketch.pause(255).pause(255)
  }

  struct TimerCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sketch: ChipSketch
    var expected: [String]
  }

  private static let begin = "pulses of 1500 us begin on D9"
  private static let stop = "the pulses stop on D9"

  static let timerCases = [
    TimerCase(
      testDescription: "the width leaves a servo's before the first edge",
      sketch: wait(width(timer(1_500), 92)), expected: []),
    TimerCase(
      testDescription: "the width returns to a servo's",
      sketch: wait(
        width(width(timer(1_500), 92), 1_400)), expected: ["servo 83 (1400 us)"]),
    TimerCase(
      testDescription: "the mode is set up before the period and the width",
      sketch: wait(
        width(
          ChipSketch().write(2, to: Address.ddrb).write(0x82, to: Address.tccr1a)
            .write(0x1B, to: Address.tccr1b).write16(4_999, to: Address.icr1)
            .write(0x1A, to: Address.tccr1b).write16(39_999, to: Address.icr1), 1_500)),
      expected: ["servo 92 (1500 us)"]),
    TimerCase(
      testDescription: "the timer is switched off before the first edge",
      sketch: wait(timer(1_500).write(0, to: Address.tccr1a)), expected: []),
    TimerCase(
      testDescription: "the timer is switched off in the middle of a pulse, and PORTB1 is 0",
      sketch: wait(timer(1_500)).write16(39_998, to: 0x84).pause(10)
        .write(0, to: Address.tccr1a),
      expected: [begin, stop]),
    TimerCase(
      testDescription: "the pin becomes an input",
      sketch: wait(timer(1_500)).write(0, to: Address.ddrb), expected: [begin, stop]),
    TimerCase(
      testDescription: "the pin becomes an input and an output again",
      sketch: wait(wait(timer(1_500)).write(0, to: Address.ddrb).write(2, to: Address.ddrb)),
      expected: [begin, stop, begin]),
    TimerCase(
      testDescription: "the same width again, before the first edge",
      sketch: wait(
        width(
          wait(width(wait(timer(1_400)), 1_500)).write(0, to: Address.tccr1a)
            .write(0x82, to: Address.tccr1a), 1_500)),
      expected: ["pulses of 1400 us begin on D9", "servo 92 (1500 us)", stop, begin]),
  ]

  @Test(arguments: timerCases)
  func `A timer's pulses are said to begin and to stop when they do`(_ row: TimerCase) throws {
    #expect(try Self.texts(all: Self.outputs(row.sketch)) == row.expected)
  }

  @Test func `A reset stops a timer's pulses`() throws {
    var device = try Self.wait(Self.timer(1_500)).device()
    var recorder = Recorder()
    let reset = Instant.zero + .milliseconds(50)
    device.reset(at: reset, deadTime: .zero, into: &recorder)
    device.advance(to: reset + .milliseconds(90), into: &recorder)
    #expect(Self.texts(all: recorder.outputs) == [Self.begin, Self.stop, Self.begin])
    #expect((recorder.outputs[1].time - reset).magnitude <= .microseconds(1))
  }

  @Test func `A servo that a timer drives only later has each event once`() throws {
    // Arrives after the four seconds in which it is found how a sketch drives its servo.
    var sketch = ChipSketch()
    for _ in 0..<330 { sketch = sketch.pause(255) }
    sketch.words += Self.wait(Self.width(Self.wait(Self.timer(1_500)), 1_400)).words
    #expect(try !sketch.showsStores)
    #expect(
      try Self.texts(all: Self.outputs(sketch, steps: [.seconds(5)]))
        == [Self.begin, "servo 83 (1400 us)"])
  }

  @Test func `A pulse that is cut off because its pin becomes an input commands no angle`() throws {
    for (bits, isNoted) in [(UInt8(4), true), (0, false)] {
      // The fifth pulse is 580 us long: it ends, or its pin is released.
      let sketch = Self.pulses([20, 20, 20, 20], on: 4).pause(255).write(4, to: Address.portb)
        .pause(12).write(bits, to: Address.ddrb).write(0, to: Address.portb).pause(255).pause(255)
      let servos = try Self.outputs(sketch).filter { $0.output.kind == .servo }
      #expect(servos.count == (isNoted ? 2 : 1))
      #expect(try Self.changes(sketch) == ["pulses of 964 us begin on D10", Self.stop10])
    }
  }

  private static let stop10 = "the pulses stop on D10"

  @Test func `A timer's other output is a servo of its own`() throws {
    // Timer 1 in fast PWM to ICR1 with clk/8 on pins 9 and 10.
    let sketch = ChipSketch().write(6, to: Address.ddrb).write16(39_999, to: Address.icr1)
      .write16(2_999, to: Address.ocr1a).write16(2_999, to: Address.ocr1b)
      .write(0xA2, to: Address.tccr1a).write(0x1A, to: Address.tccr1b).pause(10)
      .write16(1_999, to: Address.ocr1b).pause(10).write16(3_999, to: Address.ocr1a)
    #expect(
      try Self.texts(Self.outputs(sketch)) == ["servo 44 (1000 us) on D10", "servo 141 (2000 us)"])
  }

  @Test func `Only a program that has a servo is said to hide what it stores for it`() throws {
    let note = "a.elf: note: what it stores for the servo cannot be seen, only pulses"
    // Two pulses are not yet a servo.
    let sketches = [
      (Self.pulses([20, 20, 20], on: 4), 1), (Self.pulses([20, 20, 20], on: 2 | 4), 1),
      (Self.pulses([20, 20], on: 4), 0), (ChipSketch().pause(10), 0),
    ]
    for (sketch, count) in sketches {
      var device = try sketch.device()
      #expect(!device.remarks.contains { $0.hasPrefix(note) })
      var recorder = Recorder()
      device.advance(to: .zero + .seconds(1), into: &recorder)
      #expect(device.remarks.count { $0.hasPrefix(note) } == count)
    }
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
    #expect(try Self.texts(Self.outputs(sketch)).isEmpty)
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
    let kinds: Set<Output.Kind> = [
      .servo, .pin, .transmit, .tone, .lost, .attached, .detached,
    ]
    var device = try sketch.device()
    device.watch(.all)
    var events: [Event] = []
    var session = LiveBoard(device, baud: 9_600, kinds: kinds)
    var generator = SeededGenerator(seed: 1_702)
    var now = Instant.zero
    while now < .zero + .milliseconds(400) {
      now += .microseconds(.random(in: 1...30_000, using: &generator))
      session.pass(to: now) { events.append($0) }
      if Bool.random(using: &generator) {
        session.take(.event(.receive([0x58])), at: now) { events.append($0) }
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
