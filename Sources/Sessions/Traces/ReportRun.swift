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
    var input = try job.open()
    // What is wrong with it, which outputs it has, the verdict, and for the sketch and for guarded
    // a picture and the commands.
    let progress = Progress(reading: &input, times: 7, isShown: job.verbosity != .quiet)
    defer { progress.clear() }
    var worlds = worlds
    worlds.showsProgress = job.verbosity != .quiet
    var reader = try input.reader()
    try reader.limit(to: job.limit)
    let facts = try input.facts(on: job.choice)
    let fault = facts?.fault
    progress.clear()
    job.verbosity.report(fault, .all, about: job.trace)
    job.verbosity.report(reader.notes, about: job.trace)
    let shown = job.choice.shown(for: reader.header)
    let verdict = try verdict(&reader, on: shown, worlds)
    var session = try file.session(
      input, path: job.trace, divergence: verdict.divergence, firmware: job.choice.firmware,
      on: shown, named: shown is SilentSource ? nil : job.choice.name, servo: servo)
    session.fault = fault.map { ReportVerdict($0, .all) }
    session.showsAll = facts?.showsAll ?? false
    session.remarks += reader.notes
    if let tolerance { session.set("Tolerance", String(readable: tolerance)) }
    progress.clear()
    try file.write([ReportEntry(job.trace, verdict, session)])
    if fault != nil { throw Failure(.disagree) }
  }

  private func verdict(
    _ reader: inout TraceReader, on source: some DeviceSource, _ worlds: WorldsRun
  ) throws -> ReportVerdict {
    guard !(source is SilentSource) else {
      // The time of the last event is needed.
      while try reader.next() != nil {}
      return .notJudged
    }
    var verification = Verification()
    verification.firmware = job.choice.firmware
    verification.tolerance = tolerance
    return ReportVerdict(
      try worlds.verdict(of: job.trace, &reader, on: source, verification))
  }
}
