import Engine
import Judging
import Sketches
import Testing
import Traces

@testable import Sessions

/// The JUnit report of a live session.
struct JUnitSessionTests {
  private static let divergence = Verdict(
    .diverges(
      Divergence(
        ByteDifference(expected: Array("X45.".utf8), found: Array("X46.".utf8))!,
        at: .zero + .milliseconds(1_500), line: 4, tolerance: .milliseconds(20))))

  private static func tail(_ text: String) -> ErrorTail {
    var tail = ErrorTail()
    tail.append(Array(text.utf8))
    return tail
  }

  private static func text(
    _ verdict: Verdict?, _ sender: SenderReport?, _ failure: Failure? = nil
  ) -> String {
    var report = TraceReport(path: "scenes/aim.jsonl")
    report.scenario = ReportNames(
      trace: "scenes/aim.jsonl", title: nil, command: ["python3", "a.py"])
    report.verdict = verdict
    report.sender = sender
    report.failure = failure
    return JUnit.report([report], of: "run", in: .zero)
  }

  @Test func `A session is named after its trace and its command`() {
    let text = Self.text(Verdict(.agrees), nil)
    #expect(text.contains("<testcase classname=\"scenes/aim\" name=\"python3 a.py\" time="))
    #expect(text.contains("tests=\"1\" failures=\"0\" errors=\"0\""))
  }

  @Test(
    arguments: [
      ("a/aim.jsonl", "Aims again", ["x"], "a/aim", "Aims again"),
      ("aim", nil, ["python3", "s.py"], "aim", "python3 s.py"), (nil, "", ["s"], "run", "s"),
      ("aim.jsonl", nil, [], "aim", "session"),
    ] as [(String?, String?, [String], String, String)])
  func `A scenario has a class and a test name`(
    _ trace: String?, _ title: String?, _ command: [String], _ className: String, _ name: String
  ) {
    let scenario = ReportNames(trace: trace, title: title, command: command)
    #expect(scenario.className == className)
    #expect(scenario.testName == name)
  }

  @Test(arguments: [
    (Failure(.init(rawValue: 7), "the sender ended"), #"message="\#(speeds): the sender ended""#),
    (nil, #"message="\#(speeds)""#),
  ])
  func `A wrong speed is named first`(_ failure: Failure?, _ message: String) {
    var report = TraceReport(path: "scenes/aim.jsonl")
    report.verdict = Self.divergence
    report.failure = failure
    report.wrongSpeed = WrongSpeed(.writing, sender: 115_200, board: 9_600)
    let text = JUnit.report([report], of: "run", in: .zero)
    #expect(text.contains(message))
    #expect(text.contains(">\(Self.speeds)\n\nscenes/aim.jsonl:4: error:"))
    #expect(report.json.contains(#""wrong_speed": "\#(Self.speeds)""#) == (failure == nil))
  }

  private static let speeds = "the sender writes at 115200 baud, the board listens at 9600"

  @Test func `A sender that crashed is an error with the divergence and its standard error`() {
    let sender = SenderReport(
      .ended(.init(rawValue: 7)), status: .init(rawValue: 7),
      errors: Self.tail("ValueError: \u{1B}[31mno\n"))
    let text = Self.text(
      Self.divergence, sender, Failure(.init(rawValue: 7), sender.sentence))
    #expect(text.contains("failures=\"0\" errors=\"1\""))
    #expect(text.contains("<error message=\"the sender ended with status 7\">"))
    #expect(text.contains("scenes/aim.jsonl:4: error: byte 3 of 4 differs"))
    #expect(text.contains("the sender&#39;s standard error:\nValueError: \\u001b[31mno</error>"))
  }

  @Test func `A sender that agrees and crashes has no divergence`() {
    let sender = SenderReport(.signal(11), status: .signal(11), errors: Self.tail("gone\n"))
    let text = Self.text(Verdict(.agrees), sender, Failure(.signal(11), sender.sentence))
    #expect(
      text.contains(
        "<error message=\"the sender was ended by signal 11\">"
          + "the sender&#39;s standard error:\ngone</error>"))
  }

  @Test func `A sender that only disagrees is a failure, with its standard error`() {
    let sender = SenderReport(.ended(.agree), status: .agree, errors: Self.tail("warning\n"))
    let text = Self.text(Self.divergence, sender)
    #expect(text.contains("failures=\"1\" errors=\"0\""))
    #expect(text.contains("<failure message=\"scenes/aim.jsonl:4: error: byte 3 of 4 differs"))
    #expect(text.contains("the sender&#39;s standard error:\nwarning</failure>"))
  }

  @Test func `Of a session without a trace only the sender is reported`() {
    let good = SenderReport(.ended(.agree), status: .agree, errors: Self.tail("warning\n"))
    #expect(Self.text(nil, good).contains("failures=\"0\" errors=\"0\""))
    #expect(!Self.text(nil, good).contains("warning"))
  }

  @Test(
    arguments: [
      (SenderReport.Ending.ended(.init(rawValue: 7)), "the sender ended with status 7", true),
      (.ended(.agree), "the sender ended with status 0", false),
      (.signal(9), "the sender was ended by signal 9", true),
      (.stopped(after: .seconds(10)), "the sender was stopped after 10 s", false),
      (.stopped(after: .milliseconds(1_500)), "the sender was stopped after 1.5 s", false),
      (.interrupted, "the sender was stopped with the bench", false),
    ] as [(SenderReport.Ending, String, Bool)])
  func `An ending has a sentence`(
    _ ending: SenderReport.Ending, _ sentence: String, _ hasCrashed: Bool
  ) {
    var report = SenderReport(ending, status: .signal(9))
    if case .ended(let status) = ending { report.status = status }
    #expect(report.sentence == sentence)
    #expect(report.hasCrashed == hasCrashed)
  }
}
