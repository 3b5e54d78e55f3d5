import Devices
import Engine
import Foundation
import Judging
import Network
import Platform
import Sketches
import TestSupport
import Testing
import Traces

@testable import Sessions

/// Scenarios whose sender is a command.
@Suite("Live scenarios") struct LiveScenarioTests {
  private static func plan(
    _ test: SuiteTest, timeout: Interval = .seconds(60), updates: Bool = false
  ) throws -> LivePlan {
    try LiveScenario(test: test, timeout: timeout, keepsTrace: false, updates: updates)
      .plan(on: ModelSource())
  }

  @Test func `The session has what the scenario states`() throws {
    var test = SuitePlanTests.test("s/aim.yaml", "a name")
    var plan = try Self.plan(test)
    #expect(plan.command == ["sh", "-c", "true"] && plan.commandFolder == "s/")
    #expect(plan.session.title == "a name" && plan.session.baud == 9_600)
    #expect(plan.rules?.rules == test.scenario.rules && plan.rules?.path == "s/aim.yaml")
    #expect(plan.link == nil && plan.end == nil && plan.commandLimit == .seconds(60))
    #expect(plan.network?.server?.webSocket.map(\.description) == ["127.0.0.1:0"])
    #expect(plan.network?.server?.tcp.map(\.description) == ["127.0.0.1:0"])
    #expect(plan.shows.isEmpty && plan.verbosity == .quiet && plan.recording == nil)
    #expect(try Self.plan(test, timeout: .zero).commandLimit == nil)
    test.scenario.firmware = .classic
    test.scenario.baud = 115_200
    test.scenario.pty = "turret"
    test.scenario.timeout = .seconds(3)
    plan = try Self.plan(test)
    #expect(plan.session.sketch.firmware == .classic && plan.session.baud == 115_200)
    #expect(plan.link == "s/turret" && plan.commandLimit == .seconds(3))
    test.scenario.length = .seconds(2)
    plan = try Self.plan(test)
    #expect(plan.end == .zero + .seconds(2) && plan.commandLimit == nil)
    test.path = "aim.yaml"
    plan = try Self.plan(test)
    #expect(plan.commandFolder == nil && plan.link == "turret")
  }

  @Test func `A profile is read from the scenario's folder`() throws {
    let files = try TestFolder()
    try files.write("name: other\ncommands: [\"G{angle:0..180}\\n\"]\nbaud: 4800\n", "s/own.yaml")
    var test = SuitePlanTests.test(files.path("s/aim.yaml"), "a")
    test.scenario.profile = .file("own.yaml")
    let plan = try Self.plan(test)
    #expect(plan.session.sketch.profile?.name == "other" && plan.session.baud == 4_800)
    #expect(plan.network?.arbiter.profile?.name == "other")
    test.scenario.profile = .file("none.yaml")
    let failure = #expect(throws: Failure.self) { try Self.plan(test) }
    #expect(failure?.message.contains("s/none.yaml: error: ") == true)
  }

  @Test func `The faults have the seed of the run`() throws {
    var test = SuitePlanTests.test("a.yaml", "a")
    test.scenario.faults = try FaultSpec.parse("drop:1%")
    let runs = SuitePlan([test], repeats: 2)
    let plan = try Self.plan(runs.test(runs.runs[1]))
    #expect(plan.session.faults == FaultPlan(test.scenario.faults, seed: 2))
  }

  @Test func `A trace that --update writes for the first time does not judge the session`() throws {
    let files = try TestFolder()
    var test = SuitePlanTests.test(files.path("a.yaml"), "a")
    let others = test.scenario.rules
    test.scenario.rules.append(Rule(.golden(Golden(path: "golden.jsonl"))))
    #expect(try Self.plan(test, updates: true).rules?.rules == others)
    #expect(try Self.plan(test).rules?.rules == test.scenario.rules)
    try files.write("", "golden.jsonl")
    #expect(try Self.plan(test, updates: true).rules?.rules == test.scenario.rules)
  }

  @Test(
    arguments: [
      (nil, nil, 60, 60), (3, nil, 60, 3), (0, nil, 60, nil), (3, 2, 60, 2), (nil, nil, 0, nil),
    ] as [(Int64?, Int64?, Int64, Int64?)])
  func `The limit of a sender is that of "for", of "timeout" or of the command line`(
    timeout: Int64?, length: Int64?, usual: Int64, limit: Int64?
  ) {
    var test = SuitePlanTests.test("a.yaml", "a")
    test.scenario.timeout = timeout.map { .seconds($0) }
    test.scenario.length = length.map { .seconds($0) }
    let scenario = LiveScenario(
      test: test, timeout: .seconds(usual), keepsTrace: false, updates: false)
    #expect(scenario.limit == limit.map { .seconds($0) })
  }

  // MARK: Results

  private static let senders: [(SenderReport?, String?)] = [
    (SenderReport(.ended(.agree), status: .agree), nil),
    (SenderReport(.ended(.unavailable), status: .unavailable), "the sender ended with status 69"),
    (SenderReport(.signal(9), status: .signal(9)), "the sender was ended by signal 9"),
    (
      SenderReport(.stopped(after: .seconds(2)), status: .signal(15)),
      "the sender was stopped after 2 s"
    ),
    (nil, "the session ended before the sender was started"),
  ]

  @Test(arguments: senders)
  func `A sender that fails is a failure`(sender: SenderReport?, failure: String?) {
    let result = SuiteResult(LiveOutcome(sender: sender))
    #expect(result.outcome == failure.map { .failed([SuiteFailure($0)]) } ?? .passed)
    #expect(result.sender == sender)
  }

  @Test func `A status that a rule expects is no failure`() {
    var sender = SenderReport(.ended(.disagree), status: .disagree)
    sender.isExpected = true
    #expect(SuiteResult(LiveOutcome(sender: sender)).outcome == .passed)
  }

  @Test func `A device that fails is named before the sender that was stopped because of it`() {
    var outcome = LiveOutcome(sender: SenderReport(.interrupted, status: .signal(15)))
    let fault = DeviceError(.crashed, "x.elf: error: it crashed")
    outcome.fault = fault
    #expect(
      SuiteResult(outcome).outcome
        == .failed([
          SuiteFailure(fault.description), SuiteFailure("the sender was stopped with the bench"),
        ]))
    #expect(
      SuiteResult(LiveOutcome(fault: fault)).outcome
        == .failed([SuiteFailure(fault.description)]))
  }

  @Test func `Rules that fail follow, with what explains them`() throws {
    let rule = Notation.mapping(
      [.init("servo", .text("46", .init()))], .init(line: 3, column: 5))
    var reader = try TraceReader(
      text: Array(
        #"{"format": "sentry-trace", "version": 1, "firmware": "classic"}"#.utf8)
        + Array("\n[1.5, \"rx\", \"X45.\"]\n".utf8), path: "a.jsonl")
    let report = try RuleReport(RuleParser(path: "s/a.yaml").rules(rule), &reader) {
      (path) throws(TraceError) in
      try TraceReader(path: path)
    }
    var outcome = LiveOutcome(
      rules: report, sender: SenderReport(.ended(.disagree), status: .disagree))
    outcome.output.append(Array("hello\n".utf8))
    let result = SuiteResult(outcome)
    #expect(result.failures.map { $0.isOfSender } == [true, false])
    #expect(result.failures.last?.place == "s/a.yaml:3:5")
    #expect(result.ruleCount == 1 && result.output.text == "hello")
  }
}
