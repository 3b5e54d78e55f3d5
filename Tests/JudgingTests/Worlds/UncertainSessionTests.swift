import Sketches
import TestSupport
import Testing
import Traces

@testable import Judging

@Suite struct UncertainSessionTests {
  /// A random session: records, bytes from the board, resets and changes of speed.
  private static func random(_ generator: inout SeededGenerator) throws -> UncertainSession {
    var time = Int64.random(in: 0...3_000_000, using: &generator)
    var lines: [String] = []
    for _ in 0..<Int.random(in: 0...40, using: &generator) {
      time += Int64.random(in: 0...8_000, using: &generator)
      let stamp = String(canonical: Instant(nanoseconds: time * 1_000))
      switch Int.random(in: 0...12, using: &generator) {
      case 0: lines.append("[\(stamp), \"reset\", 0]")
      case 1:
        lines.append(
          "[\(stamp), \"baud\", \([300, 9_600, 115_200].randomElement(using: &generator)!)]")
      case 2...5: lines.append("[\(stamp), \"tx\", \"o\"]")
      case 6: lines.append("[\(stamp), \"rx\", \"\"]")
      default:
        let count = Int.random(in: 1...12, using: &generator)
        lines.append("[\(stamp), \"rx\", \"\(String(repeating: "1", count: count))\"]")
      }
    }
    let uncertainty = Interval.microseconds(
      [0, 1, 900, 5_000, 200_000, 999_999_999_000_000].randomElement(using: &generator)!)
    return try UncertainTrace.session(lines, uncertainty: uncertainty)
  }

  @Test(arguments: 0..<200)
  func `Drawn times keep their bounds, their order and the line's speed`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let session = try Self.random(&generator)
    for world in 0..<6 {
      let times = session.times(ofWorld: world, seed: seed)
      #expect(session.allows(times), "seed \(seed), world \(world)")
      for (byte, time) in zip(session.bytes, times) {
        let off = (time - byte.recorded).magnitude
        #expect(off <= session.uncertainty, "seed \(seed), world \(world)")
        #expect(time >= .zero)
      }
      for index in times.indices.dropFirst() {
        let gap = session.bytes[index].offset - session.bytes[index - 1].offset
        #expect(times[index] - times[index - 1] >= gap, "seed \(seed), world \(world)")
      }
      #expect(times == session.times(ofWorld: world, seed: seed))
    }
    #expect(session.times(ofWorld: 0, seed: seed) == session.recordedTimes)
  }

  @Test(arguments: 0..<200)
  func `A world's events are in order, with all bytes`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let session = try Self.random(&generator)
    let times = session.times(ofWorld: 3, seed: seed)
    var last = Instant.zero
    var count = 0
    session.forEachEvent(at: times, includesOthers: true) { event, _ in
      #expect(event.time >= last, "seed \(seed)")
      last = event.time
      if case .receive(let bytes) = event.kind { count += bytes.count }
    }
    #expect(count == session.bytes.count, "seed \(seed)")
    var reader = try TraceReader(
      text: session.trace(at: times, tolerance: .milliseconds(1)), path: "t")
    var written = 0
    while let event = try reader.next() {
      if case .receive(let bytes) = event.kind { written += bytes.count }
    }
    #expect(written == session.bytes.count && reader.header.uncertainty == nil, "seed \(seed)")
  }

  @Test
  func `Without uncertainty every world is the recording`() throws {
    let session = try UncertainTrace.session(
      ["[1.500000, \"rx\", \"X45.\"]", "[1.501000, \"rx\", \"L\"]"], uncertainty: .zero)
    for world in 0..<20 {
      #expect(session.times(ofWorld: world, seed: 7) == session.recordedTimes)
    }
  }

  @Test
  func `A byte sent after an answer stays after the answer's end`() throws {
    // The answer ends 1.041 667 ms after its start bit, and the byte was recorded 0.1 ms later.
    let session = try UncertainTrace.session(
      ["[1.000000, \"rx\", \"?\"]", "[1.500000, \"tx\", \"o\"]", "[1.501142, \"rx\", \"L\"]"],
      uncertainty: .milliseconds(2))
    let earliest = (1..<2_000).map { session.times(ofWorld: $0, seed: 1)[1] }.min()
    // The answer began at most 2 ms early.
    #expect(try #require(earliest) >= .zero + .microseconds(1_499_041))
    // On average later than by the byte's own bounds: half of the answers delay it.
    let mean =
      (1..<2_000).reduce(0.0) { $0 + session.times(ofWorld: $1, seed: 1)[1].seconds } / 1_999
    // The larger of two uniform draws from -2 ms to 2 ms is 2/3 ms on average.
    #expect(abs(mean - 1.501142 - 0.000667) < 0.0001)
  }

  @Test
  func `A byte stays on its side of a reset and within the session`() throws {
    let session = try UncertainTrace.session(
      [
        "[0.001000, \"rx\", \"L\"]", "[1.000000, \"rx\", \"L\"]", "[1.002000, \"reset\", 0]",
        "[1.003000, \"rx\", \"L\"]", "[1.999000, \"rx\", \"L\"]",
      ], keys: ", \"duration\": 2", uncertainty: .milliseconds(50))
    for world in 0..<500 {
      let times = session.times(ofWorld: world, seed: 1)
      #expect(times[0] >= .zero)
      #expect(times[1] <= .zero + .milliseconds(1_002))
      #expect(times[2] >= .zero + .milliseconds(1_002))
      #expect(times[3] <= .zero + .seconds(2))
    }
  }
}
