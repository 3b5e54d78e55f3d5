import ChipDevice
import Devices
import Sketches
import Testing
import Traces

/// Servos on a PCA9685.
@Suite struct DriverEventTests {
  /// Sends transfers on the two-wire bus to the address 0x40, with a pause after each.
  private static func sketch(_ transfers: [[UInt8]]) -> ChipSketch {
    let (data, control): (UInt16, UInt16) = (0xBB, 0xBC)
    var sketch = ChipSketch()
    for transfer in transfers {
      sketch = sketch.write(0xA4, to: control).pause(1)
      for byte in [0x80] + transfer {
        sketch = sketch.write(byte, to: data).write(0x84, to: control).pause(1)
      }
      sketch = sketch.write(0x94, to: control).pause(1)
    }
    return sketch
  }

  private static func events(_ transfers: [[UInt8]], drivers: [UInt8]) throws -> [Output] {
    let program = try sketch(transfers).program(drivers: drivers)
    let source = AVRSource(program)
    #expect(source.showsStores == !drivers.isEmpty)
    let header = Header(firmware: .guarded, duration: nil, title: nil)
    let device = source.makeDevice(for: header, firmware: .guarded, showsPulses: false)
    var replay = Replay(device, until: .zero + .milliseconds(20), kinds: [.servo, .detached])
    var outputs: [Output] = []
    replay.finish(after: .zero) { if let output = $0.output { outputs.append(output) } }
    return outputs
  }

  @Test func `A channel's new pulse is a servo event with the channel's name`() throws {
    let pin = try #require(BoardPin(name: "pca9685@0x40:3"))
    let begin: [[UInt8]] = [[0x00, 0x10], [0xFE, 121], [0x00, 0x20]]
    let outputs = try Self.events(
      begin + [[0x12, 0, 0, 51, 1], [0x12, 0, 0, 51, 1], [0x12, 0, 0, 154, 1]], drivers: [0x40])
    // 307 and 410 counts of 4.88 us.
    #expect(
      outputs == [
        .servo(degrees: 92, microseconds: 1_498, on: pin),
        .servo(degrees: 141, microseconds: 2_001, on: pin),
      ])
    #expect(try Self.events(begin + [[0x12, 0, 0, 51, 1]], drivers: []) == [])
    // 16 counts are 78 us.
    #expect(try Self.events(begin + [[0x12, 0, 0, 16, 0]], drivers: [0x40]) == [])
    #expect(
      try Self.events(
        [[0x00, 0x10], [0xFE, 3], [0x00, 0x20], [0x12, 0, 0, 0, 0x0C]], drivers: [0x40])
        == [], "a period of 655 us is no servo's")
  }

  @Test func `A channel that is switched off has lost its servo, and a lamp's has none to lose`()
    throws
  {
    let pin = try #require(BoardPin(name: "pca9685@0x40:3"))
    let begin: [[UInt8]] = [[0x00, 0x10], [0xFE, 121], [0x00, 0x20]]
    let on: [UInt8] = [0x12, 0, 0, 51, 1]
    #expect(
      try Self.events(begin + [on, [0x12, 0, 0, 0, 0x10], on, [0x00, 0x30]], drivers: [0x40])
        == [
          .servo(degrees: 92, microseconds: 1_498, on: pin), .detached(pin, isHigh: false),
          .servo(degrees: 92, microseconds: 1_498, on: pin), .detached(pin, isHigh: false),
        ])
    // 2 048 counts are 10 ms.
    #expect(
      try Self.events(begin + [[0x12, 0, 0, 0, 8], [0x12, 0, 0, 0, 0x10]], drivers: [0x40]) == [])
  }

  @Test func `A channel's new registers count from the STOP, and it rises once in a period`() throws
  {
    let pin = try #require(BoardPin(name: "pca9685@0x40:0"))
    // OFF is 307, and then 512 or 307 again, at different moments of the period.
    var transfers: [[UInt8]] = [[0x00, 0x10], [0xFE, 121], [0x00, 0x20], [0x06, 0, 0, 51, 1]]
    for _ in 0..<20 { transfers += [[0x06, 0, 0, 0, 2], [0x06, 0, 0, 51, 1]] }
    var sketch = Self.sketch(transfers)
    sketch.wiring.pins = .some([pin])
    let header = Header(firmware: .guarded, duration: nil, title: nil)
    let device = AVRSource(try sketch.program(drivers: [0x40]))
      .makeDevice(for: header, firmware: .guarded, showsPulses: true)
    var replay = Replay(device, until: .zero + .milliseconds(400), kinds: [.pin, .pulse])
    var rises: [Int64] = []
    var widths: Set<Int> = []
    replay.finish(after: .zero) { event in
      switch event.output {
      case .pin(pin, isHigh: true):
        rises.append((event.time - Instant.zero).nanoseconds / 1_000)
      case .pulse(let width, on: pin): widths.insert(Int(width.rounded()))
      default: break
      }
    }
    #expect(rises.count > 15)
    #expect(zip(rises, rises.dropFirst()).allSatisfy { (19_987...19_990).contains($1 - $0) })
    #expect(widths.isSubset(of: [1_498, 2_499]), "no other width was written")
  }

  @Test func `A channel's levels and pulses are those of its counter`() throws {
    let pin = try #require(BoardPin(name: "pca9685@0x40:3"))
    var sketch = Self.sketch([[0x00, 0x10], [0xFE, 121], [0x00, 0x20], [0x12, 0, 1, 51, 2]])
    sketch.wiring.pins = .some([pin])
    let source = AVRSource(try sketch.program(drivers: [0x40]))
    let header = Header(firmware: .guarded, duration: nil, title: nil)
    let device = source.makeDevice(for: header, firmware: .guarded, showsPulses: true)
    var replay = Replay(device, until: .zero + .milliseconds(80), kinds: [.pin, .pulse])
    var levels: [(time: Int64, isHigh: Bool)] = []
    var pulses: [Double] = []
    replay.finish(after: .zero) { event in
      switch event.output {
      case .pin(pin, let isHigh):
        levels.append(((event.time - Instant.zero).nanoseconds / 1_000, isHigh))
      case .pulse(let width, on: pin): pulses.append(width)
      default: break
      }
    }
    // 256 counts of 4.88 us after a period's beginning, for 307 counts.
    #expect(levels.map(\.isHigh) == [true, false, true, false, true, false, true, false])
    #expect(pulses.count == 4 && pulses.allSatisfy { abs($0 - 1_498.16) < 0.1 })
    let rises = levels.filter(\.isHigh).map(\.time)
    for (first, second) in zip(rises, rises.dropFirst()) {
      #expect((19_988...19_989).contains(second - first))
    }
  }
}
