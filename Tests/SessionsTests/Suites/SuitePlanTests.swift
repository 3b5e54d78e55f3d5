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

  @Test func `A live scenario's bench gets the seed of its run`() throws {
    var test = Self.test("a.yaml", "a")
    test.scenario.faults = try FaultSpec.parse("drop:1%")
    let plan = SuitePlan([test], repeats: 2)
    for isJudged in [true, false] {
      let words = SuiteCommand(
        test: plan.test(plan.runs[1]), timeout: .seconds(60), isJudged: isJudged
      ).words(recording: nil)
      #expect(words.contains("--seed=2"))
      #expect(words.contains("--fault=drop:1%") != isJudged)
    }
  }

  @Test(arguments: [
    ("a.yaml", "", "a.yaml", "a", "x/y.jsonl"),
    ("./a.b.yml", "./", "a.b.yml", "./a.b", "./x/y.jsonl"),
    ("s/t/a", "s/t/", "a", "s/t/a", "s/t/x/y.jsonl"),
  ])
  func `Paths in a file start at its folder`(
    path: String, folder: String, name: String, stem: String, resolved: String
  ) {
    let test = Self.test(path, "n")
    #expect(test.folder == folder && test.fileName == name && test.fileStem == stem)
    #expect(test.resolved("x/y.jsonl") == resolved)
    #expect(test.resolved("/x") == "/x")
  }

  @Test func `The bench of a live scenario gets what the scenario states`() {
    var scenario = Self.test("s/aim.yaml", "a name").scenario
    func words(isJudged: Bool = true, timeout: Interval = .seconds(60)) -> [String] {
      SuiteCommand(
        test: SuiteTest(path: "s/aim.yaml", scenario), timeout: timeout, isJudged: isJudged
      ).words(recording: "/t/0.jsonl")
    }
    let network = ["run", "-q", "--websocket=127.0.0.1:0", "--tcp=127.0.0.1:0"]
    let rules = ["--rules=aim.yaml", "--scenario=a name", "--json"]
    let end = ["--record=/t/0.jsonl", "--", "sh", "-c", "true"]
    #expect(words() == network + rules + ["--timeout=60s"] + end)
    #expect(words(timeout: .zero) == network + rules + ["--timeout=0"] + end)
    #expect(words(isJudged: false) == network + end)
    scenario.firmware = .classic
    scenario.device = "avr:x.hex"
    scenario.baud = 115_200
    scenario.pty = "turret"
    scenario.timeout = .seconds(3)
    let device = ["--firmware=classic", "--device=avr:x.hex", "--pty=turret", "--baud=115200"]
    #expect(words() == network + rules + device + ["--timeout=3s"] + end)
    scenario.length = .seconds(2)
    #expect(words() == network + rules + device + ["--for=2s"] + end)
  }

  @Test(
    arguments: [
      (nil, nil, 60, 60), (3, nil, 60, 3), (0, nil, 60, nil), (3, 2, 60, 2), (nil, nil, 0, nil),
    ] as [(Int64?, Int64?, Int64, Int64?)])
  func `The limit of a sender is that of "for", of "timeout" or of the command line`(
    timeout: Int64?, length: Int64?, usual: Int64, limit: Int64?
  ) {
    var test = Self.test("a.yaml", "a")
    test.scenario.timeout = timeout.map { .seconds($0) }
    test.scenario.length = length.map { .seconds($0) }
    let command = SuiteCommand(test: test, timeout: .seconds(usual), isJudged: true)
    #expect(command.limit == limit.map { .seconds($0) })
  }
}
