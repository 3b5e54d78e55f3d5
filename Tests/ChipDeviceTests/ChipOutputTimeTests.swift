import AVR
import ChipDevice
import Devices
import Sketches
import TestSupport
import Testing

@Suite("When outputs of the emulated chip are seen")
struct ChipOutputTimeTests {
  private static let end = Instant.zero + .milliseconds(150)

  private static func outputs(
    _ sketch: ChipSketch, steps: (inout SeededGenerator) -> Interval
  ) throws -> [TimedOutput] {
    var random = SeededGenerator(seed: 7)
    var device = try sketch.device(showsPulses: true)
    var recorder = Recorder()
    var now = Instant.zero
    while now < end {
      now = min(end, now + steps(&random))
      device.advance(to: now, into: &recorder)
    }
    return recorder.outputs
  }

  private static func pulses(_ outputs: [TimedOutput]) -> [Double] {
    outputs.compactMap { if case .pulse(let width, _) = $0.output { width } else { nil } }
  }

  /// Pulses of 9.6, 23.9 and 28.9 ms; in each, a byte is sent.
  private static let levels: ChipSketch = {
    var sketch = ChipSketch().write(0x08, to: Address.ucsr0b).write(2, to: Address.ddrb)
    for (count, byte) in [(UInt8(200), UInt8(1)), (250, 2), (250, 3)] {
      sketch = sketch.write(2, to: Address.portb).pause(count).write(byte, to: Address.udr0)
      for _ in 0..<(byte == 1 ? 0 : byte == 2 ? 1 : 2) {
        sketch = sketch.pause(byte == 2 ? 245 : 175)
      }
      sketch = sketch.write(0, to: Address.portb).pause(20)
    }
    return sketch
  }()

  @Test(arguments: [100, 1_000, 20_000, 30_000, 150_000] as [Int64])
  func `A level of 25 ms or longer is never a pulse, however often the chip is looked at`(
    step: Int64
  ) throws {
    let outputs = try Self.outputs(Self.levels) { _ in .microseconds(step) }
    #expect(Self.pulses(outputs).map { ($0 / 1_000).rounded(.down) } == [9, 23])
    let whole = try Self.outputs(Self.levels) { _ in .milliseconds(150) }
    #expect(outputs == whole)
    #expect(outputs.map(\.time) == outputs.map(\.time).sorted())
    #expect(outputs.count { if case .transmit = $0.output { true } else { false } } == 3)
  }

  /// What an instruction writes takes effect at its end, which can be after the instant that the
  /// device has reached.
  @Test func `An output is seen no earlier than it happens, and a state keeps those to come`()
    throws
  {
    var sketch = ChipSketch().write(2, to: Address.ddrb)
    for count in 0..<40 { sketch = sketch.write(count % 2 == 0 ? 2 : 0, to: Address.portb) }
    let program = try sketch.program
    var whole = Recorder()
    var device = try sketch.device(showsPulses: true)
    device.advance(to: .zero + .microseconds(20), into: &whole)
    #expect(whole.outputs.count == 20)

    var stepped = Recorder()
    var other = try sketch.device(showsPulses: true)
    var hasKept = false
    for nanoseconds in stride(from: Int64(0), through: 20_000, by: 50) {
      let now = Instant(nanoseconds: nanoseconds)
      other.advance(to: now, into: &stepped)
      // A pulse is stamped at its beginning.
      #expect(stepped.outputs.allSatisfy { $0.time <= now.roundedUpToMicrosecond })
      hasKept = hasKept || !other.state.late.isEmpty
      let restored = try #require(AVRDevice(program, other.state, at: now, showsPulses: true))
      #expect(restored.state == other.state)
    }
    #expect(hasKept)
    #expect(stepped.outputs == whole.outputs)
  }
}
