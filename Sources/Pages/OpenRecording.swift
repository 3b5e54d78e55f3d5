import Devices
import Judging
import Pictures
import Sketches
import Traces

/// A recording with everything that the page shows of it.
///
/// It is an object because it is large: code for copying it would be loaded with the page.
final class OpenRecording: Sendable {
  let file: DroppedFile
  /// The name of its sketch.
  private let sketch: String
  private let entry: ReportEntry
  private let explanation: [String]

  /// Verifies and replays the recording's trace. The trace of a sketch without a model is shown as
  /// it was recorded.
  init(_ file: DroppedFile) throws(TraceError) {
    self.file = file
    let header = try Self.reader(file).header
    sketch = header.otherFirmware ?? header.firmware(unless: nil).rawValue
    let account = try SessionAccount(file.text, path: file.name, limit: .page)
    explanation = account.lines
    let (verdict, made) =
      try header.otherFirmware == nil ? Self.judged(file) : Self.observed(file, sketch)
    var report = made
    report.fault = account.facts.fault.map { ReportVerdict($0, .none) }
    report.showsAll = account.facts.showsAll
    report.set("Trace", file.name)
    report.facts.insert((name: "Program", value: "SentryBench in a browser"), at: 0)
    if header.otherFirmware == nil, let uncertainty = header.uncertainty {
      report.remarks.append(
        "Each time can be off by \(String(readable: uncertainty)), but this page treats the times "
          + "as exact. sentrybench verify replays many timings and shows what differs.")
    }
    report.remarks += file.notes.map { $0 + "." }
    entry = ReportEntry(file.name, verdict, report)
  }

  private static func reader(_ file: DroppedFile) throws(TraceError) -> TraceReader {
    try TraceReader(text: file.text, path: file.name)
  }

  private static func judged(
    _ file: DroppedFile
  ) throws(TraceError) -> (ReportVerdict, SessionReport) {
    var reader = try reader(file)
    let source = ModelSource()
    let header = reader.header
    let firmware = header.firmware(unless: nil)
    let verdict = ReportVerdict(try Verification().verify(&reader, on: source))
    let device = source.makeDevice(for: header, firmware: firmware, showsPulses: true)
    let report = try SessionReport.make(
      of: file.name, verdict.divergence, on: device, named: source.name, firmware: firmware
    ) { () throws(TraceError) in try Self.reader(file) }
    return (verdict, report)
  }

  private static func observed(
    _ file: DroppedFile, _ sketch: String
  ) throws(TraceError) -> (ReportVerdict, SessionReport) {
    let source = SilentSource()
    let header = try reader(file).header
    let device = source.makeDevice(
      for: header, firmware: header.firmware(unless: nil), showsPulses: true)
    let report = try SessionReport.make(
      of: file.name, nil, observing: device, named: source.name, sketch: sketch
    ) { () throws(TraceError) in try Self.reader(file) }
    return (.notJudged, report)
  }

  /// What the page needs apart from the section, as JSON.
  var summary: [UInt8] {
    var json = JSONText()
    json.add("name", file.name)
    json.add("kind", file.kind)
    json.add("firmware", sketch)
    json.add("verdict", entry.verdict.word)
    json.add("tone", entry.verdict.tone.rawValue)
    json.add("sentence", entry.verdict.sentence)
    json.add("size", file.text.count)
    json.add("explanation", .array(explanation.map { .string($0) }))
    return Array(json.text.utf8)
  }

  /// Returns the part of the page that shows the recording. `number` distinguishes it from others.
  func section(_ number: Int, _ work: PageWork) -> String {
    ReportPage.section(of: entry, number: number) { work.compress($0) }
  }

  /// Returns the report as a separate file with the given script.
  func report(_ script: [UInt8], _ work: PageWork) -> String {
    var entry = entry
    if let gzip = work.compress(file.text) {
      let isTrace = file.name.hasSuffix(".jsonl")
      entry.report?.attachment = .init(name: isTrace ? file.name : "session.jsonl", gzip: gzip)
    }
    return ReportPage(
      [entry], program: "SentryBench in a browser", script: String(decoding: script, as: UTF8.self)
    ).html { work.compress($0) }
  }
}
