package import Devices
package import Judging
package import Pictures
package import Platform
package import Sketches
import Traces

/// An HTML file about sessions. Whether it can be written is checked at the beginning.
package struct ReportFile {
  /// The maximum number of sessions that a page shows in full.
  static let shownMax = 40
  /// The maximum size of a trace that a page contains, in bytes. Compressed, it is about a tenth.
  private static let traceMax = 16 << 20

  private let slot: OutputSlot
  /// The program with its version.
  private let program: String

  package init(_ path: String, by program: String) throws(Failure) {
    slot = try OutputSlot(path)
    self.program = program
  }

  /// Writes a page about one session, or with a heading about several.
  package func write(
    _ entries: [ReportEntry], heading: String? = nil, summary: String? = nil
  ) throws(Failure) {
    var page = ReportPage(entries, program: program)
    page.heading = heading
    page.summary = summary
    try slot.write(page.html(compressing: Zlib.gzip))
  }

  /// Makes everything that a page shows about a trace. `deviceName` is the user's name for the
  /// device; nil for the source's own. On a board, the trace is not replayed again: the picture is
  /// the model's.
  package func session(
    _ input: TraceInput, path: String, divergence: Divergence?, firmware: Firmware?,
    on source: some DeviceSource, named deviceName: String? = nil, servo: ServoData = .sg90
  ) throws -> SessionReport {
    let text = try input.text(countMax: Self.traceMax)
    return try session(
      of: path == "-" ? "standard input" : path, text: text, divergence, firmware, source,
      deviceName, servo
    ) { () throws(TraceError) in try input.reader() }
  }

  /// Makes the same for a session that was just run.
  package func session(
    _ trace: [UInt8], named name: String, divergence: Divergence? = nil,
    on source: some DeviceSource = ModelSource(), servo: ServoData = .sg90
  ) throws -> SessionReport {
    try session(of: name, text: trace, divergence, nil, source, nil, servo) {
      () throws(TraceError) in try TraceReader(text: trace, path: name)
    }
  }

  private func session(
    of name: String, text: [UInt8]?, _ divergence: Divergence?, _ firmware: Firmware?,
    _ source: some DeviceSource, _ deviceName: String?, _ servo: ServoData,
    openTrace: () throws(TraceError) -> TraceReader
  ) throws -> SessionReport {
    var first = try openTrace()
    if firmware == nil { first.adoptSketch(of: source) }
    let header = first.header
    let shownFirmware = header.firmware(unless: firmware)
    func open() throws(TraceError) -> TraceReader {
      var reader = try openTrace()
      reader.header = header
      return reader
    }
    func observe(_ shown: some DeviceSource, _ sketch: String, _ deviceName: String) throws
      -> SessionReport
    {
      let device = try shown.makeDevice(for: header, firmware: shownFirmware, showsPulses: true)
      return try SessionReport.make(
        of: name, divergence, observing: device, named: deviceName, sketch: sketch, servo: servo,
        open: open)
    }
    func model(_ shown: some DeviceSource, _ deviceName: String) throws -> SessionReport {
      let device = try shown.makeDevice(for: header, firmware: shownFirmware, showsPulses: true)
      return try SessionReport.make(
        of: name, divergence, on: device, named: deviceName, firmware: shownFirmware,
        timing: source.timing, servo: servo, open: open)
    }
    let deviceName = deviceName ?? source.name
    var report: SessionReport
    if firmware == nil, let sketch = header.otherFirmware {
      let silent = SilentSource()
      report =
        source.isVirtual && source.runsAnyProgram
        ? try observe(source, sketch, deviceName) : try observe(silent, sketch, silent.name)
    } else if source.isVirtual {
      report = try model(source, deviceName)
      if !source.reportsFates {
        report.remarks.append(
          "This device does not show what becomes of each byte. The tables of commands and bytes "
            + "show the model of \(shownFirmware.rawValue), which was sent the same bytes.")
      }
    } else {
      report = try model(ModelSource(), "model")
      report.remarks.append(
        "The session was judged on \(deviceName); the pictures show the model.")
    }
    report.set("Trace", name)
    report.facts.insert((name: "Program", value: program), at: 0)
    if let text, text.count <= Self.traceMax, let gzip = Zlib.gzip(text) {
      let fileName = name.split(separator: "/").last.map(String.init) ?? "session"
      let isTrace = fileName.hasSuffix(".jsonl")
      report.attachment = .init(name: isTrace ? fileName : "session.jsonl", gzip: gzip)
    }
    return report
  }

  /// Chooses the sessions that are shown in full, up to `shownMax`: those that did not pass come
  /// first. Returns their indices.
  package static func chosen(_ verdicts: [ReportVerdict]) -> Set<Int> {
    let bad = verdicts.indices.filter { verdicts[$0].tone != .good }
    let good = verdicts.indices.filter { verdicts[$0].tone == .good }
    return Set((bad + good).prefix(shownMax))
  }
}
