import Devices
import Sketches
import TestSupport
import Testing
import Traces

@testable import AVR
@testable import ChipDevice

@Suite("Pulses that are not as the sketch stored")
struct TwitchTests {
  /// What a sketch does with a servo of Arduino's library on D9. Nothing in it makes the pulses, so
  /// the sketch does.
  enum Step: Sendable {
    /// Attaches the servo with this index to D9, or detaches it.
    case attach(Int = 0)
    case detach(Int = 0)
    /// Stores a width in microseconds.
    case store(UInt16, Int = 0)
    /// Drives a pulse of so many times 48.2 us, and waits for 12.3 ms: 30 are 1446 us.
    case pulse(UInt8)
    /// Drives D9 high or low, and waits for 2.4 ms.
    case level(Bool)
    /// Makes D9 an input.
    case release
  }

  private static func sketch(_ steps: [Step]) -> ChipSketch {
    var sketch = ChipSketch().write(2, to: Address.ddrb)
    for step in steps {
      switch step {
      case .attach(let index): sketch = sketch.write(0x49, to: 0x100 + UInt16(3 * index))
      case .detach(let index): sketch = sketch.write(0x09, to: 0x100 + UInt16(3 * index))
      case .store(let width, let index):
        sketch = sketch.write16(2 * (width - 2), to: 0x101 + UInt16(3 * index))
      case .pulse(let count):
        sketch = sketch.write(2, to: Address.portb)
        if count > 0 { sketch = sketch.pause(count) }
        sketch = sketch.write(0, to: Address.portb).pause(255)
      case .level(let isHigh): sketch = sketch.write(isHigh ? 2 : 0, to: Address.portb).pause(50)
      case .release: sketch = sketch.write(0, to: Address.ddrb)
      }
    }
    sketch.tableSize = 36
    return sketch
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    var twitches: [[Int]] = []
    var sentence: String?

    init(_ name: String, _ steps: [Step], _ twitches: [[Int]] = [], _ sentence: String? = nil) {
      testDescription = name
      self.steps = steps
      self.twitches = twitches
      self.sentence = sentence
    }
  }

  /// 1447 us are 87 degrees.
  static let rows = [
    Row("as stored", [.attach(), .store(1_447), .pulse(30), .pulse(30)]),
    Row("19 us are jitter", [.attach(), .store(1_428), .pulse(30), .store(1_466), .pulse(30)]),
    Row(
      "21 us are not", [.attach(), .store(1_425), .pulse(30)], [[1_425, 1_446]],
      "D9 was set to 85 degrees; 1 of 1 pulse was 21 us longer"),
    Row(
      "longer and shorter",
      [.attach(), .store(1_447), .pulse(30), .pulse(43), .pulse(0), .pulse(42)],
      [[1_447, 2_072], [1_447, 0], [1_447, 2_024]],
      "D9 was set to 87 degrees; 3 of 4 pulses were up to 625 us longer or up to 1447 us shorter"),
    Row(
      "the first pulse after a store can have the old width",
      [.attach(), .store(1_447), .pulse(30), .store(965), .pulse(30), .pulse(20)]),
    Row(
      "the second cannot",
      [.attach(), .store(1_447), .pulse(30), .store(965), .pulse(30), .pulse(30)],
      [[965, 1_446]], "D9 was set to 40 degrees; 1 of 3 pulses was 481 us longer"),
    Row(
      "a store within a pulse",
      [.attach(), .store(1_447), .level(true), .store(2_400), .level(false), .pulse(50)]),
    Row(
      "several angles",
      [.attach(), .store(1_447), .pulse(40), .store(965), .pulse(20), .pulse(40)],
      [[1_447, 1_928], [965, 1_928]],
      "D9 was set to several angles; 2 of 3 pulses were up to 963 us longer"),
    Row(
      "nothing was written", [.store(1_500), .attach(), .pulse(40)], [[1_500, 1_928]],
      "D9 was attached at 1500 us; 1 of 1 pulse was 428 us longer"),
    Row(
      "a pulse that began before the attach", [.store(1_447), .level(true), .attach(), .pulse(30)]),
    Row(
      "a pulse that a detach cut",
      [.attach(), .store(1_447), .level(true), .detach(), .attach(), .level(false), .pulse(30)]),
    Row("a pulse after the detach", [.attach(), .store(1_447), .detach(), .pulse(40)]),
    Row("the pin became an input", [.attach(), .store(1_447), .level(true), .release]),
    Row(
      "two servos on the pin take turns",
      [.attach(0), .store(1_447, 0), .attach(1), .store(965, 1), .pulse(30), .pulse(20)]),
  ]

  @Test(arguments: rows)
  func `A whole pulse that differs from what is stored by more than 20 us is a twitch`(
    _ row: Row
  ) throws {
    var device = try Self.sketch(row.steps).device()
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(200), into: &recorder)
    let found = recorder.twitches.map { [Int($0.twitch.stored), Int($0.twitch.measured)] }
    #expect(found == row.twitches)
    #expect(recorder.twitches.allSatisfy { $0.twitch.pin.name == "D9" })
    #expect(device.twitches == [row.sentence].compactMap { $0 })
    #expect(
      device.remarks.filter { $0.contains("longer") }
        == device.twitches.map { "a.elf: note: \($0)" })
  }

  @Test func `A restart cuts a pulse`() throws {
    var device = try Self.sketch([.attach(), .store(1_447), .level(true), .level(true)]).device()
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(2), into: &recorder)
    device.reset(at: .zero + .milliseconds(2), deadTime: .zero, into: &recorder)
    device.advance(to: .zero + .milliseconds(100), into: &recorder)
    #expect(recorder.twitches.isEmpty)
  }

  @Test func `Only a table of Arduino's library shows twitches`() throws {
    var sketch = Self.sketch([.attach(), .store(1_447), .pulse(40), .pulse(40), .pulse(40)])
    #expect(try sketch.device().capabilities.showsTwitches)
    sketch.tableSize = nil
    var device = try sketch.device()
    #expect(!device.capabilities.showsTwitches)
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(200), into: &recorder)
    #expect(recorder.twitches.isEmpty)
  }

  @Test func `Twitches that follow each other at once are counted, and only the first is an event`()
    throws
  {
    var sketch = ChipSketch().write(2, to: Address.ddrb).write(0x49, to: 0x100)
      .write16(2_890, to: 0x101)
    for _ in 0..<100 { sketch = sketch.write(2, to: Address.portb).write(0, to: Address.portb) }
    sketch.tableSize = 36
    var device = try sketch.device()
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(100), into: &recorder)
    #expect(recorder.twitches.count == 1)
    #expect(
      device.twitches
        == ["D9 was set to 87 degrees; 100 of 100 pulses were up to 1447 us shorter"])
  }

  @Test func `A replay has them at the pulse's end, in order, and not those of its trace`() throws {
    let device = try Self.sketch([.attach(), .store(1_447), .pulse(30), .pulse(40)]).device()
    var replay = Replay(device, until: .zero + .milliseconds(100), kinds: [.servo])
    var events: [Event] = []
    let old = Event(
      .zero + .milliseconds(1), .twitch(Twitch(on: .usualServo, stored: 1, measured: 2)))
    replay.take(old) { events.append($0) }
    replay.finish(after: .zero + .milliseconds(100)) { events.append($0) }
    #expect(events.compactMap { $0.twitch?.measured } == [1_928])
    #expect(events.count == 2 && events == events.sorted { $0.time < $1.time })
  }

  @Test func `A saved board continues the pulse that it was in`() throws {
    let sketch = Self.sketch([.attach(), .store(1_447), .pulse(30), .pulse(40), .pulse(30)])
    var device = try sketch.device()
    var recorder = Recorder()
    // In the second pulse.
    device.advance(to: .zero + .milliseconds(15), into: &recorder)
    var restored = try #require(
      AVRDevice(
        try sketch.program, device.state, at: .zero + .milliseconds(15), showsPulses: false))
    restored.advance(to: .zero + .milliseconds(100), into: &recorder)
    #expect(recorder.twitches.map { $0.twitch.measured } == [1_928])
    #expect(restored.twitches == ["D9 was set to 87 degrees; 1 of 3 pulses was 481 us longer"])
  }
}
