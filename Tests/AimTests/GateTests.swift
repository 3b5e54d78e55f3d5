import Aim
import Testing

@Suite struct GateTests {
  static let gate = Gate(label: "cat", least: 0.5)

  static func labels(_ scores: [(String, Double)]) -> [Observation] {
    scores.map { Observation(.class, box: nil, confidence: $0.1, label: $0.0) }
  }

  @Test(
    arguments: [
      ([], .noResult),
      ([("dog", 0.9)], .absent),
      ([("cat", 0.49), ("dog", 0.2)], .below(0.49)),
      ([("cat", 0.5)], .open(0.5)),
      ([("dog", 0.9), ("cow", 0.8), ("cat", 0.6)], .open(0.6)),
      ([("cat", 0.3), ("cat", 0.7)], .open(0.7)),
      ([("cat", .nan)], .absent),
    ] as [([(String, Double)], Gate.Reading)])
  func `The gate reads the required label, regardless of other scores`(
    scores: [(String, Double)], reading: Gate.Reading
  ) {
    #expect(Self.gate(Self.labels(scores)) == reading)
    #expect(Self.gate(Self.labels(scores.reversed())) == reading)
  }

  @Test func `An observation without a label is not a result`() {
    #expect(Self.gate([Observation(.face, box: .unit)]) == .noResult)
  }
}
