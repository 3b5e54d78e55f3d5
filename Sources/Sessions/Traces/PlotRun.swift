import Captures
import Devices
import Engine
import Judging
import Pictures
import Platform
package import Sketches
import Traces

/// Draws a trace's session.
package struct PlotRun: Sendable {
  private let job: TraceJob
  private let output: String
  package var worlds = WorldsRun()
  package var servo = ServoData.sg90
  /// The part of the session that is drawn.
  package var start = Instant.zero
  package var end = Instant.distantFuture

  /// `output` is the path of the picture; `-` is standard output.
  package init(_ job: TraceJob, output: String) {
    self.job = job
    self.output = output
  }

  package func run() throws {
    // What is wrong with it, which outputs it has, where it diverges, and the picture.
    var trace = try job.examine(times: 4)
    defer { trace.progress.clear() }
    let fault = trace.facts?.fault
    job.verbosity.report(fault, .all, about: job.trace)
    job.verbosity.report(trace.reader.notes, about: job.trace)
    job.choice.nameSketch(of: &trace.reader)
    var worlds = worlds
    worlds.showsProgress = job.verbosity != .quiet
    let picture = try picture(
      trace.input, &trace.reader, fault, on: job.choice.shown(for: trace.reader.header), worlds)
    trace.progress.clear()
    try OutputFile.write(Array(picture.utf8), to: output, as: .other)
    if fault != nil { throw Failure(.disagree) }
  }

  /// Draws the trace of `input`; `first` is a reader at its start.
  private func picture(
    _ input: TraceInput, _ first: inout TraceReader, _ fault: RecordingFault?,
    on source: some DeviceSource, _ worlds: WorldsRun
  ) throws -> String {
    if !source.reportsFates { try worlds.refuse() }
    let uncertainty = source.uncertainty(of: first.header, unless: worlds.uncertainty)
    let outcome = try worlds.verdict(of: job, &first, on: source)?.outcome
    let divergence = if case .diverges(let found) = outcome { found } else { nil as Divergence? }
    let sessionEnd = first.header.end ?? first.time
    guard start == .zero || start < sessionEnd else {
      throw Failure.misuse(
        "--from is not before the session's end, which is at "
          + "\(String(shortest: sessionEnd - .zero)) s.")
    }

    var reader = try input.reader()
    reader.header = first.header
    let firmware = try source.firmware(
      of: reader.header, in: reader.path, unless: job.choice.firmware)
    let device = try source.makeDevice(
      for: reader.header, firmware: firmware, showsPulses: true)
    let isRecorded = source.observes(firmware).isEmpty
    var session = try PlottedSession.make(
      &reader, on: device, named: isRecorded ? source.name : job.choice.name,
      firmware: firmware, sketch: job.choice.sketch(of: reader.header), servo: servo,
      divergence: divergence, fileName: fileName, from: start,
      to: end)
    if let tracking = session.tracking { return TrackingPicture.svg(of: tracking) }
    if let uncertainty, source.reportsFates {
      var again = try input.reader()
      again.header = first.header
      let found = try worlds.explore(
        &again, uncertainty: uncertainty, on: source, firmware: job.choice.firmware,
        band: AngleBand(from: session.start, to: session.end, count: SessionPicture.columnCount))
      session.band = found.band
      session.worlds = found.findings.conditions
      let byteTime = ByteClock.byteTime(baud: first.header.baud)
      session.byteRanges = found.session.bytes.map {
        $0.earliest + byteTime...$0.latest + byteTime
      }
    }
    session.doubt = fault?.sentence
    return SessionPicture.svg(of: session)
  }

  /// The trace's name without its folders; nil if it has none.
  private var fileName: String? {
    job.trace == "-" ? nil : job.trace.split(separator: "/").last.map(String.init)
  }
}
