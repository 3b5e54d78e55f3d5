import Sketches
import Testing
import Traces

struct AttachedTests {
  @Test func `Where pulses begin and stop is written as it is read, and described`() throws {
    let text = """
      \(head)
      [1.500000, "attached", 1500, "D9"]
      [2.000000, "detached", "D9"]
      [2.500000, "attached", 1472, "D10"]
      [3.000000, "detached", "D10", "high"]

      """
    let trace = try ReadTrace(text)
    #expect(trace.canonical == text)
    let outputs = trace.events.compactMap { $0.output }
    #expect(
      outputs.map { $0.description } == [
        "pulses of 1500 us begin on D9", "the pulses stop on D9", "pulses of 1472 us begin on D10",
        "the pulses stop on D10, which stays high",
      ])
    #expect(outputs.map { $0.pin?.name } == ["D9", "D9", "D10", "D10"])
  }

  @Test func `Widths match within 3 us, on the same pin`() {
    let (nine, ten) = (BoardPin(name: "D9")!, BoardPin(name: "D10")!)
    let expected = Output.attached(microseconds: 1_500, on: nine)
    #expect(expected.matches(.attached(microseconds: 1_503, on: nine)))
    #expect(!expected.matches(.attached(microseconds: 1_504, on: nine)))
    #expect(!expected.matches(.attached(microseconds: 1_500, on: ten)))
    #expect(!Output.detached(nine, isHigh: false).matches(.detached(nine, isHigh: true)))
    #expect(!expected.matches(.detached(nine, isHigh: false)))
  }

  @Test(arguments: [
    Malformed(
      "[1.5, \"attached\", ‸-1, \"D9\"]\n", "expected microseconds from 0 to 65535, found '-'"),
    Malformed("[1.5, \"attached\", 1500‸]\n", "expected ',' and the pin, found ']'"),
    Malformed("[1.5, \"detached\"‸]\n", "expected ',' and the pin, found ']'"),
    Malformed(
      "[1.5, \"detached\", \"D9\", ‸\"low\"]\n", "expected \"high\", found \"low\""),
  ])
  func `A malformed event is refused where it is wrong`(_ malformed: Malformed) {
    #expect(malformed.complaint(prefix: head + "\n") == nil)
  }
}
