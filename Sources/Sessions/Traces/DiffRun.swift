package import Captures
import Engine
import Judging
import Platform
package import Sketches
import Traces

/// Compares two traces' outputs.
package struct DiffRun: Sendable {
  private let expected: String
  private let found: String
  /// How recordings by other tools are read.
  package var recording = CaptureOptions()
  /// The allowed error of an output's time; nil for what the expected trace states.
  package var tolerance: Interval?
  package var junit: String?
  package var printsJSON = false
  package var verbosity = Verbosity.normal

  /// - Parameters:
  ///   - expected: the path of the trace with the expected outputs.
  ///   - found: the path of the trace with the outputs that were found.
  package init(expected: String, found: String) {
    self.expected = expected
    self.found = found
  }

  package func run() throws {
    let junitFile = try junit.map { path throws(Failure) in try OutputSlot(path) }
    let stopwatch = ContinuousClock().now
    var report = TraceReport(path: expected)
    do {
      var wanted = try TraceReader(path: expected, options: recording)
      var given = try TraceReader(path: found, options: recording)
      verbosity.report(wanted.notes, about: expected)
      verbosity.report(given.notes, about: found)
      report.verdict = try TraceDifference.find(
        &wanted, &given, tolerance: tolerance)
    } catch {
      report.failure = Failure(error)
    }
    report.elapsed = ContinuousClock().now - stopwatch
    if printsJSON {
      try Console.write(report.json)
    } else if junit != "-", verbosity != .quiet, let text = report.text(isVerbose: true) {
      try Console.write(text: text)
    }
    try junitFile?.write(JUnit.report([report], of: "diff", in: report.elapsed))
    if let failure = report.failure { throw failure }
    if report.status != .agree { throw Failure(report.status) }
  }
}
