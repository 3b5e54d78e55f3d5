import ChipDevice
import Devices
import Sketches
import Testing
import Traces

struct SessionReasonsTests {
  private static func reasons(
    _ sketch: ChipSketch, before end: Interval, receiving times: [Interval] = []
  ) throws -> [String] {
    let end = Instant.zero + end
    let inputs = times.map { Event(.zero + $0, .receive([0x58])) }
    var moments = SessionMoments(
      AVRSource(try sketch.program), Header(firmware: .guarded, duration: nil, title: nil),
      events: inputs, end: end + .seconds(1))
    return moments.reasons(before: end)
  }

  /// A jump over the vectors, and the handler of USART_RX: it reads the byte.
  private static var start: ChipSketch {
    var sketch = ChipSketch()
    sketch.words = [UInt16](repeating: 0, count: 60)
    sketch.words[0] = 0xC03B
    sketch.words.replaceSubrange(36..<39, with: [0x9180, Address.udr0, 0x9518])
    // RXCIE0, RXEN0; 9600 baud.
    return sketch.write(103, to: Address.ubrr0l).write(0x90, to: Address.ucsr0b)
  }

  // A byte comes shortly after, and its interrupt takes little time.
  @Test func `A program that sleeps is asleep, not in what runs next`() throws {
    var sketch = Self.start.write(1, to: 0x53)
    sketch.words += [0x9478, 0x9588, 0xCFFE]
    let reasons = try Self.reasons(
      sketch, before: .milliseconds(500), receiving: [.milliseconds(499), .milliseconds(600)])
    #expect(reasons.first == "in the last 100 ms it was asleep", "\(reasons)")
  }

  // It is noted each time that it has doubled, the last time at about 2 s.
  @Test func `A turn of loop that goes on has its length at the moment asked`() throws {
    var sketch = Self.start
    sketch.words += [0xD001, 0xCFFF, 0xCFFF]
    sketch.tableSize = 1
    sketch.functions = [("loop", UInt16(2 * (sketch.words.count - 1)))]
    let reasons = try Self.reasons(sketch, before: .seconds(3))
    let turn = "3 s: a turn of loop has taken 3 s so far"
    #expect(reasons.contains { $0.hasPrefix(turn) }, "\(reasons)")
  }

  // Interrupts are off at first for longer than when the bytes come.
  @Test func `A byte that is lost while interrupts are off has its cause at once`() throws {
    var sketch = Self.start
    sketch.words += [0x9478, 0, 0x94F8]
    sketch = sketch.pause(255)
    sketch.words += [0x9478]
    sketch = sketch.pause(200).pause(200)
    sketch.words += [0x94F8]
    let times = (0..<4).map { Interval.milliseconds(40 + 2 * $0) }
    let reasons = try Self.reasons(sketch, before: .milliseconds(48), receiving: times)
    let lost = try #require(reasons.first { $0.contains("lost `X` (uart-overrun)") })
    #expect(lost.contains("has kept interrupts off for") && lost.hasSuffix("so far"), "\(lost)")
  }
}
