package import Captures
import Engine
import Judging
import Platform
package import Sketches
import Traces

package enum DiffRun {
  /// Compares two traces' outputs: those of the trace at `expected`, and those at `found`.
  ///
  /// - Parameters:
  ///   - recording: how recordings by other tools are read.
  ///   - tolerance: the allowed error of an output's time; nil for what the expected trace states.
  package static func run(
    expected: String, found: String, _ recording: CaptureOptions, tolerance: Interval?,
    junit: String?, printsJSON: Bool, _ verbosity: Verbosity
  ) throws {
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
