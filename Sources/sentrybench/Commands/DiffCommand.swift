import ArgumentParser
import Files
import Sessions
import Traces
import Turret
import Verification

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two traces' outputs.",
    discussion: "The first contains the expected outputs, the second those that were found.")

  @Argument(help: "The trace with the expected outputs.")
  var expected: String

  @Argument(help: "The trace with the outputs that were found.")
  var found: String

  @Option(
    help:
      "The allowed error of an output's time, for example 200us. Overrides the first trace's own.",
    transform: TimeArgument.init)
  var tolerance: TimeArgument?

  @Option(help: "Write a JUnit report to this file.")
  var junit: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if junit == "-" && json {
      throw ValidationError("--json and --junit - cannot both use standard output.")
    }
  }

  func run() throws {
    let junitFile = try junit.map { path throws(Failure) in try OutputSlot(path) }
    let stopwatch = ContinuousClock().now
    var report = TraceReport(path: expected)
    do {
      var wanted = try TraceReader(path: expected)
      var given = try TraceReader(path: found)
      talk.report(wanted.notes, about: expected)
      talk.report(given.notes, about: found)
      report.verdict = try TraceDifference.find(
        &wanted, &given, tolerance: tolerance?.interval)
    } catch {
      report.failure = Failure(error)
    }
    report.elapsed = ContinuousClock().now - stopwatch
    if json {
      try Console.write(report.json)
    } else if junit != "-", !talk.quiet, let text = report.text(isVerbose: true) {
      try Console.write(text: text)
    }
    try junitFile?.write(JUnit.report([report], of: "diff", in: report.elapsed))
    if let failure = report.failure { throw failure }
    if report.status != .agree { throw Failure(report.status) }
  }
}
