import Devices
import Judging
import Sketches
import Testing

@testable import Sessions

/// Which scenarios of a suite are run.
@Suite("Suite plan") struct SuitePlanTests {
  static func test(_ path: String, _ name: String) -> SuiteTest {
    func text(_ text: String) -> Notation { .text(text, .init(line: 3, column: 5)) }
    let rule = Notation.mapping([.init("commands", text("0..1"))], .init(line: 3, column: 5))
    let document = Notation.mapping(
      [.init("name", text(name)), .init("run", text("true")), .init("expect", rule)], .init())
    do {
      return SuiteTest(path: path, try ScenarioParser(path: path).scenarios([document])[0])
    } catch {
      fatalError("\(error)")
    }
  }

  private static let all = [
    test("s/aim.yaml", "Aims"), test("s/aim.yaml", "sweeps"), test("s/b/lost.yml", "loses nothing"),
  ]

  private static func names(_ plan: SuitePlan) -> [String] {
    plan.tests.map { $0.scenario.name }
  }

  @Test(arguments: [
    (nil, ["Aims", "sweeps", "loses nothing"]), ("aims", ["Aims"]),
    ("AIM.yaml", ["Aims", "sweeps"]),
    ("b/lost.yml: loses", ["loses nothing"]), ("nothing like it", []),
  ])
  func `A filter is part of the path or the name`(filter: String?, expected: [String]) {
    let plan = SuitePlan(Self.all, filter: filter)
    #expect(Self.names(plan) == expected)
    #expect(plan.isEmpty == expected.isEmpty)
  }

  @Test func `The parts have every scenario once, and an empty part is no mistake`() {
    let parts = (1...4).map { SuitePlan(Self.all, shard: Shard($0, of: 4)) }
    #expect(parts.map(Self.names) == [["Aims"], ["sweeps"], ["loses nothing"], []])
    #expect(!parts[3].isEmpty)
  }

  @Test func `A part is taken of what the filter lets through`() {
    let plan = SuitePlan(Self.all, filter: "s", shard: Shard(2, of: 2), repeats: 2)
    #expect(Self.names(plan) == ["sweeps"])
    #expect(plan.runs == [.init(test: 0, attempt: 1), .init(test: 0, attempt: 2)])
  }

  @Test(
    arguments: [
      (nil, nil, [1, 2, 3]), (7, nil, [7, 8, 9]), (7, 40, [40, 41, 42]),
      (UInt64.max, nil, [UInt64.max, 0, 1]),
    ] as [(UInt64?, UInt64?, [UInt64])])
  func `Each run of a scenario with faults has the seed after that of the run before it`(
    stated: UInt64?, option: UInt64?, expected: [UInt64]
  ) throws {
    var test = Self.test("a.yaml", "a")
    test.scenario.faults = try FaultSpec.parse("drop:1%")
    test.scenario.seed = stated
    let plan = SuitePlan([test, Self.test("a.yaml", "b")], repeats: 3, seed: option)
    #expect(plan.runs.map { plan.test($0).scenario.seed } == expected + [nil, nil, nil])
    #expect(SuiteReport(plan).title(plan.runs[1]) == "a.yaml: a (run 2, seed \(expected[1]))")
    #expect(SuiteReport(plan).title(plan.runs[4]) == "a.yaml: b (run 2)")
    // A run is the same as the one that has its seed alone.
    let alone = SuitePlan([test], seed: expected[2])
    #expect(alone.test(alone.runs[0]) == plan.test(plan.runs[2]))
    #expect(SuiteReport(alone).title(alone.runs[0]) == "a.yaml: a")
    // Nothing is stated that was not before if nothing is repeated.
    let single = SuitePlan([test])
    #expect(single.test(single.runs[0]) == test)
  }

  @Test(arguments: [
    ("a.yaml", "", "a", "x/y.jsonl"), ("./a.b.yml", "./", "./a.b", "./x/y.jsonl"),
    ("s/t/a", "s/t/", "s/t/a", "s/t/x/y.jsonl"),
  ])
  func `Paths in a file start at its folder`(
    path: String, folder: String, stem: String, resolved: String
  ) {
    let test = Self.test(path, "n")
    #expect(test.folder == folder && test.fileStem == stem)
    #expect(test.resolved("x/y.jsonl") == resolved)
    #expect(test.resolved("/x") == "/x")
  }
}
