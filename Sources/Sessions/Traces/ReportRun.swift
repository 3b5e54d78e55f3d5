package import Captures
import Devices
import Engine
import Judging
import Pictures
import Platform
package import Sketches
package import Traces

/// Writes the page about a trace.
package struct ReportRun: Sendable {
  private let trace: String
  private let choice: DeviceChoice
  private let file: ReportFile
  /// How a recording by another tool is read.
  package var recording = CaptureOptions()
  /// The allowed error of an output's time; nil for what the trace states.
  package var tolerance: Interval?
  package var worlds = WorldsRun()
  package var servo = ServoData.sg90
  /// The longest session to accept; nil for any.
  package var limit: SessionLimit? = SessionLimit()
  package var verbosity = Verbosity.normal

  /// - Parameter trace: the path of the trace; `-` is standard input.
  package init(_ trace: String, on choice: DeviceChoice, into file: ReportFile) {
    self.trace = trace
    self.choice = choice
    self.file = file
  }

  package func run() throws {
    var input = try TraceInput(path: trace, isReadAgain: true, options: recording)
    // What is wrong with it, which outputs it has, the verdict, and for the sketch and for guarded
    // a picture and the commands.
    let progress = Progress(reading: &input, times: 7, isShown: verbosity != .quiet)
    defer { progress.clear() }
    var worlds = worlds
    worlds.showsProgress = verbosity != .quiet
    var reader = try input.reader()
    try reader.limit(to: limit)
    let facts = try input.facts(on: choice)
    let fault = facts?.fault
    progress.clear()
    verbosity.report(fault, .all, about: trace)
    verbosity.report(reader.notes, about: trace)
    let shown = choice.shown(for: reader.header)
    let verdict = try verdict(&reader, on: shown, worlds)
    var session = try file.session(
      input, path: trace, divergence: verdict.divergence, firmware: choice.firmware,
      on: shown, named: shown is SilentSource ? nil : choice.name, servo: servo)
    session.fault = fault.map { ReportVerdict($0, .all) }
    session.showsAll = facts?.showsAll ?? false
    session.remarks += reader.notes
    if let tolerance { session.set("Tolerance", String(readable: tolerance)) }
    progress.clear()
    try file.write([ReportEntry(trace, verdict, session)])
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
    verification.firmware = choice.firmware
    verification.tolerance = tolerance
    return ReportVerdict(
      try worlds.verdict(of: trace, &reader, on: source, verification))
  }
}
