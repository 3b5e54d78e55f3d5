import Sketches
import TestSupport
import Testing

@testable import Captures

/// Lines with glitches, compared with a sampler that is written out as in the data sheet.
@Suite struct GlitchTests {
  /// ATmega328P data sheet, "Asynchronous Data Reception": the clock samples the line 8 or 16 times
  /// a bit, at any phase. The first low sample after a high one is sample 1 of the start bit. A bit
  /// is the majority of samples 4 to 6 of 8, or 8 to 10 of 16. A start bit that reads high is noise;
  /// the next edge can follow right after the stop bit's last sample.
  static func sampled(
    _ edges: [(time: Int64, isHigh: Bool)], end: Int64, baud: Int, phase: Double
  ) -> [UInt8] {
    let isDouble = baud != 57_600
    let perBit = isDouble ? 8 : 16
    let votes = isDouble ? 3...5 : 7...9
    let tick = 1e9 / Double(baud * perBit)
    /// The first sample that is not before an instant.
    func sample(from time: Int64) -> Int {
      func isEarlier(_ sample: Int) -> Bool { (Double(sample) + phase) * tick < Double(time) }
      var sample = max(0, Int(Double(time) / tick - phase))
      while isEarlier(sample) { sample += 1 }
      while sample > 0, !isEarlier(sample - 1) { sample -= 1 }
      return sample
    }
    let count = sample(from: end)
    /// The line from each edge's sample on. Only these samples are visited, because a debug build
    /// takes long to visit all.
    let changes = edges.map { (sample: sample(from: $0.time), isHigh: $0.isHigh) }
    /// The number of changes up to a sample that was asked for.
    var passed = 0
    func isHigh(_ sample: Int) -> Bool {
      while passed < changes.count, changes[passed].sample <= sample { passed += 1 }
      while passed > 0, changes[passed - 1].sample > sample { passed -= 1 }
      return passed == 0 || changes[passed - 1].isHigh
    }
    func bit(_ index: Int, from start: Int) -> Bool {
      votes.count { isHigh(start + index * perBit + $0) } >= 2
    }
    var bytes: [UInt8] = []
    var sample = 1
    while sample + 9 * perBit + votes.upperBound < count {
      guard isHigh(sample - 1), !isHigh(sample) else {
        // The line can fall only where it changes.
        let next = passed < changes.count ? changes[passed].sample : count
        sample = max(next, sample + 1)
        continue
      }
      if bit(0, from: sample) {
        sample += votes.upperBound + 1
        continue
      }
      let byte = (0..<8).reduce(UInt8(0)) { $0 | (bit($1 + 1, from: sample) ? 1 << UInt8($1) : 0) }
      bytes.append(byte)
      sample += 9 * perBit + votes.upperBound + 1
    }
    return bytes
  }

  enum Kind: String, CaseIterable, Sendable {
    case idle, start, data, stop, anywhere, ringing, bounce
  }

  /// Returns a line that sends bytes, with glitches of at most `width` bits.
  static func wave(
    _ bytes: [UInt8], _ kind: Kind, baud: Int, width: Double,
    _ generator: inout SeededGenerator
  ) -> LogicWave {
    let bit = 1e9 / Double(baud)
    var wave = LogicWave(["RX"], idle: [true], ms: 1)
    var starts: [Double] = []
    for (index, byte) in bytes.enumerated() {
      starts.append((5 + Double(index) * 22.3) * bit)
      wave.send([byte], at: Int64(starts[index]), baud: Double(baud))
    }
    wave.length = Int64((5 + Double(bytes.count) * 22.3 + 20) * bit)
    func glitch(_ place: Double) {
      let length = Double.random(in: 0.3...1, using: &generator) * width * bit
      wave.glitch(at: Int64(place), width: max(1, Int64(length)))
    }
    for start in starts {
      func random(_ range: ClosedRange<Double>) -> Double {
        start + Double.random(in: range, using: &generator) * bit
      }
      switch kind {
      case .idle: glitch(random(-1.5 ... -0.2))
      case .start: glitch(random(0.05...0.9))
      case .data: for _ in 0..<2 { glitch(random(1.05...8.9)) }
      case .stop: glitch(random(9.05...9.9))
      case .anywhere: for _ in 0..<3 { glitch(random(-1.5...10.5)) }
      case .ringing, .bounce:
        // After each edge, pulses of the old level; bouncing has them before it too.
        let edges = wave.channels[0].levels.map { Double($0.time) }
        for edge in edges where edge >= start - 1 && edge < start + 10 * bit {
          glitch(edge + 1.2 * width * bit)
          if kind == .bounce { glitch(edge - 2.4 * width * bit) }
        }
      }
    }
    return wave
  }

  private static func options(_ baud: Int) -> CaptureOptions {
    var options = CaptureOptions()
    options.baud = baud
    return options
  }

  @Test(arguments: [9_600, 57_600, 115_200], Kind.allCases)
  func `A line with glitches is read as an ATmega samples it`(baud: Int, kind: Kind) throws {
    var generator = SeededGenerator(seed: 32)
    var compared = 0
    for _ in 0..<(Seeds.areRequested ? 150 : 60) {
      let sent = (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let width = Double.random(in: 0.01...0.6, using: &generator)
      let wave = Self.wave(sent, kind, baud: baud, width: width, &generator)
      let levels = wave.channels[0].levels
      func reading(_ phase: Int) -> [UInt8] {
        Self.sampled(levels, end: wave.length, baud: baud, phase: (Double(phase) + 0.5) / 32)
      }
      let expected = reading(0)
      // What depends on the phase of the clock is not known from a recording.
      guard (1..<32).allSatisfy({ reading($0) == expected }) else { continue }
      compared += 1
      var receiver = UARTReceiver(baud: baud)
      for level in levels { receiver.take(level.isHigh, at: level.time) }
      _ = receiver.end(at: wave.length)
      #expect(receiver.received.map { $0.byte } == expected, "\(levels)")
    }
    #expect(compared > 10)
  }

  @Test(arguments: [9_600, 57_600, 115_200], Kind.allCases)
  func `Glitches shorter than half a sample change no byte, and not the speed that is measured`(
    baud: Int, kind: Kind
  ) throws {
    var generator = SeededGenerator(seed: 7)
    let text = Array("X90.X100X110.L".utf8)
    for _ in 0..<4 {
      let wave = Self.wave(text, kind, baud: baud, width: 1.0 / 33, &generator)
      let capture = try Capture([wave.vcd()], Self.options(baud))
      #expect(try capture.all.received == text)
      let measured = try #require(capture.summary.channels[0].baud)
      #expect(abs(Double(measured) / Double(baud) - 1) < 0.02, "\(measured)")
      #expect(!capture.summary.notes.contains { $0.contains("runs at") })
      // Another speed is named.
      let other = baud == 9_600 ? 19_200 : 9_600
      let wrong = try? Capture([wave.vcd()], Self.options(other))
      #expect(wrong?.summary.channels[0].baud.map { abs($0 - baud) * 50 < baud } ?? true)
      #expect(wrong?.summary.notes.contains { $0.contains("--sender-baud \(baud)") } ?? true)
    }
  }

  /// Times between edges in bits, at 2 MHz, as in recordings with one sample that is wrong.
  @Test(arguments: [
    [0.98, 0.98, 0.98, 0.98, 2.94, 0.98, 0.46, 0.06, 0.46],
    [0.98, 0.98, 0.98, 0.98, 2.94, 0.98, 0.69, 0.06, 0.23],
    [0.98, 1.96, 3.63, 0.06, 0.23, 0.98, 0.98], [0.92, 3.97, 0.58, 0.06, 1.27, 1.04, 0.92],
  ])
  func `One wrong sample in a byte does not look like another speed`(bits: [Double]) throws {
    let runs = bits.map { Int64($0 / 115_200 * 1e9) }
    for expected in [9_600, 115_200] {
      let speed = try #require(SpeedMeasurement(withGlitches: [0] + runs + [0], expected: expected))
      #expect(abs(speed.deviation(from: 115_200)) < 0.05, "\(speed.baud)")
    }
  }
}
