import Captures
import Devices
import Engine
import Judging
import Pictures
import Platform
package import Sketches
import Traces

/// Writes the page about a trace.
package struct ReportRun: Sendable {
  private let job: TraceJob
  private let file: ReportFile
  /// The allowed error of an output's time; nil for what the trace states.
  package var tolerance: Interval?
  package var worlds = WorldsRun()
  package var servo = ServoData.sg90

  package init(_ job: TraceJob, into file: ReportFile) {
    self.job = job
    self.file = file
  }

  package func run() throws {
    // What is wrong with it, which outputs it has, the verdict, and for the sketch and for guarded
    // a picture and the commands.
    var trace = try job.examine(times: 7)
    defer { trace.progress.clear() }
    var worlds = worlds
    worlds.showsProgress = job.verbosity != .quiet
    let fault = trace.facts?.fault
    job.verbosity.report(fault, .all, about: job.trace)
    job.verbosity.report(trace.reader.notes, about: job.trace)
    let shown = job.choice.shown(for: trace.reader.header)
    let judged = try worlds.verdict(of: job, &trace.reader, on: shown, tolerance: tolerance)
    let verdict = judged.map { ReportVerdict($0) } ?? .notJudged
    var session = try file.session(
      trace.input, path: job.trace, divergence: verdict.divergence, firmware: job.choice.firmware,
      on: shown, named: shown is SilentSource ? nil : job.choice.name, servo: servo)
    session.fault = fault.map { ReportVerdict($0, .all) }
    session.showsAll = trace.facts?.showsAll ?? false
    session.remarks += trace.reader.notes
    if let tolerance { session.set("Tolerance", String(readable: tolerance)) }
    trace.progress.clear()
    try file.write([ReportEntry(job.trace, verdict, session)])
    if fault != nil { throw Failure(.disagree) }
  }
}
