package import Captures
import Devices
import Judging
import Platform
import Sketches
package import Traces

/// Prints what became of every byte of a trace.
package struct ExplainRun: Sendable {
  private let trace: String
  private let choice: DeviceChoice
  /// How a recording by another tool is read.
  package var recording = CaptureOptions()
  package var worlds = WorldsRun()
  package var printsJSON = false
  /// The longest session to accept; nil for any.
  package var limit: SessionLimit? = SessionLimit()
  package var verbosity = Verbosity.normal

  /// - Parameter trace: the path of the trace; `-` is standard input.
  package init(_ trace: String, on choice: DeviceChoice) {
    self.trace = trace
    self.choice = choice
  }

  package func run() throws {
    let input = try TraceInput(path: trace, isReadAgain: true, options: recording)
    var reader = try input.reader()
    try reader.limit(to: limit)
    if let fault = try input.fault(on: choice) {
      if printsJSON {
        verbosity.report(fault, .all, about: trace)
      } else {
        try Console.write("\(trace): \(fault.text(.all))")
        try Console.flush()
      }
    }
    verbosity.report(reader.notes, about: trace)
    choice.nameSketch(of: &reader)
    let chosen = choice.shown(for: reader.header)
    if chosen.reportsFates {
      try explain(&reader, on: chosen)
    } else {
      try observe(&reader, on: chosen)
    }
  }

  /// Explains with the model of the sketch.
  private func explain(_ reader: inout TraceReader, on source: some DeviceSource) throws {
    let firmware = try source.firmware(
      of: reader.header, in: reader.path, unless: choice.firmware)
    let explanation: Explanation
    if let uncertainty = source.uncertainty(of: reader.header, unless: worlds.uncertainty) {
      let (ledger, findings, _, _) = try worlds.explore(
        &reader, uncertainty: uncertainty, on: source, firmware: choice.firmware)
      explanation = Explanation(ledger, firmware: firmware, worlds: findings)
    } else {
      let device = try source.makeDevice(
        for: reader.header, firmware: firmware, showsPulses: false)
      explanation = Explanation(try Ledger(&reader, device), firmware: firmware)
    }
    try write(
      explanation.jsonLines, explanation.byteLines,
      explanation.misunderstandingLines + explanation.worldLines)
  }

  /// Explains with what can be seen without knowing the sketch.
  private func observe(_ reader: inout TraceReader, on source: some DeviceSource) throws {
    try worlds.refuse()
    let header = reader.header
    verbosity.report(
      source.speedNotes(header, speed: source.findSpeed()) + worlds.notes(header),
      about: trace)
    let device = try source.makeDevice(
      for: header, firmware: header.firmware(unless: choice.firmware), showsPulses: false)
    let session = try ObservedSession(&reader, on: device)
    if verbosity != .quiet { for remark in session.deviceRemarks { Console.report(remark) } }
    let explanation = ObservedExplanation(session, sketch: header.otherFirmware)
    try write(explanation.jsonLines, explanation.byteLines, explanation.lossLines)
    if let fault = session.fault { throw fault }
  }

  private func write(
    _ json: @autoclosure () -> [String], _ bytes: @autoclosure () -> [String],
    _ summary: @autoclosure () -> [String]
  ) throws {
    if printsJSON {
      for line in json() { try Console.write(line) }
      return
    }
    if verbosity != .quiet { for line in bytes() { try Console.write(line) } }
    for line in summary() { try Console.write(line) }
  }
}
