import Captures
import Sketches
import TestSupport
import Testing

/// Whatever happens, a file is written, its samples are in order, and its end is not before the
/// last.
@Suite struct WaveformFuzzTests {
  /// Requires that the changes of a waveform are in order.
  private struct StrictSink: WaveSink {
    var bytes: [UInt8] = []
    var last: Int64 = -1
    var passed: Int64 = 0
    var isInOrder = true
    var end: Int64?

    mutating func change(_ levels: WireLevels, _ notes: [(WaveNote, WaveValue)], at tick: Int64) {
      if tick <= last || tick < passed || end != nil { isInOrder = false }
      last = tick
    }

    mutating func pass(to tick: Int64) {
      if tick < passed || tick <= last { isInOrder = false }
      passed = tick
    }

    mutating func finish(at tick: Int64) {
      if tick <= last || tick < passed { isInOrder = false }
      end = tick
    }
  }

  private static func output(_ random: inout SeededGenerator) -> Output {
    let extremes = [0, 0.1, 1, 900, 24_000.5, 65_535]
    let value = extremes.randomElement(using: &random) ?? 0
    let byte = UInt8.random(in: 0...255, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return .servo(degrees: byte, microseconds: UInt16(value))
    case 1: return .pulse(microseconds: value)
    case 2: return .tone(hertz: value)
    case 3: return .transmit(byte)
    default: return .lost(byte, Output.Loss.allCases.randomElement(using: &random) ?? .booting)
    }
  }

  @Test func `any events make a file`() throws {
    for seed: UInt64 in 0..<400 {
      var random = SeededGenerator(seed: seed)
      let rate = try #require(
        SampleRate(["1kHz", "77777", "1MHz", "1GHz"].randomElement(using: &random) ?? ""))
      let baudMax = Int(min(rate.hertz / 8, 2_000_000))
      let driven = Set(
        BoardWire.allCases.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
      let deriving = DerivedPulses(Firmware.guarded.sketch.timing)
      var waveform = try Waveform(
        rate: rate, baud: Int.random(in: 1...baudMax, using: &random), driven: driven,
        deriving: Bool.random(using: &random) ? deriving : nil)
      var sink = StrictSink()
      var now = Instant.zero
      for _ in 0..<30 {
        let pauses: [Interval] = [.zero, .nanoseconds(1), .microseconds(30), .milliseconds(7)]
        now += pauses.randomElement(using: &random) ?? .zero
        while try waveform.step(to: now, into: &sink) {}
        switch Int.random(in: 0..<8, using: &random) {
        case 0: waveform.send([UInt8.random(in: 0...255, using: &random)], at: now)
        case 1:
          try waveform.setSenderBaud(Int.random(in: max(1, baudMax / 20)...baudMax, using: &random))
        case 2: waveform.reset(at: now, deadTime: .milliseconds(1))
        case 3:
          let wire = BoardWire.allCases.randomElement(using: &random) ?? .servo
          let change = WireChange(time: now, wire: wire, isHigh: Bool.random(using: &random))
          waveform.take(change)
        case 4: waveform.note(.state, .text("\u{1F600} \\ \n"), at: now)
        default: waveform.take(Self.output(&random), at: now)
        }
      }
      let end = min(waveform.close(at: now), now + .seconds(3))
      while try waveform.step(to: end, into: &sink) {}
      try waveform.finish(&sink)
      #expect(sink.isInOrder && sink.end != nil, "seed \(seed)")
    }
  }
}
