import Captures
import Devices
import Judging
import Platform
import Sketches
import Traces

/// Prints what became of every byte of a trace.
package struct ExplainRun: Sendable {
  private let job: TraceJob
  package var worlds = WorldsRun()
  package var printsJSON = false
  /// A recording of the same session on the computer's side of the adapter; nil for none.
  package var sent: String?

  package init(_ job: TraceJob) { self.job = job }

  package func run() throws {
    // What is wrong with it, what the supply did, and what became of its bytes.
    var trace = try job.examine(times: 3)
    defer { trace.progress.clear() }
    if let fault = trace.facts?.fault, !printsJSON {
      try Console.write("\(job.trace): \(fault.text(.all))")
      try Console.flush()
    } else {
      job.verbosity.report(trace.facts?.fault, .all, about: job.trace)
    }
    job.verbosity.report(trace.reader.notes, about: job.trace)
    job.choice.nameSketch(of: &trace.reader)
    let chosen = job.choice.shown(for: trace.reader.header)
    var power: PowerAccount?
    if var again = try trace.input.readerAgain() { power = try PowerAccount(&again) }
    if chosen.reportsFates {
      try explain(&trace, on: chosen, power)
    } else {
      try observe(&trace, on: chosen, power)
    }
  }

  /// Explains with the model of the sketch.
  private func explain(
    _ trace: inout TraceJob.Examined, on source: some DeviceSource, _ power: PowerAccount?
  ) throws {
    let firmware = try source.firmware(
      of: trace.reader.header, in: trace.reader.path, unless: job.choice.firmware)
    let explanation: Explanation
    var sides: [String] = []
    var bytes: [Ledger.Entry] = []
    let isRecording = trace.reader.header.start == .unknown
    if let uncertainty = source.uncertainty(of: trace.reader.header, unless: worlds.uncertainty) {
      trace.progress.clear()
      var worlds = worlds
      worlds.showsProgress = job.verbosity != .quiet
      let (ledger, findings, _, _) = try worlds.explore(
        &trace.reader, uncertainty: uncertainty, on: source, firmware: job.choice.firmware)
      explanation = Explanation(
        ledger, firmware: firmware, end: trace.reader.header.shownEnd(lastEvent: trace.reader.time),
        worlds: findings)
      sides = try bothSides(ledger.entries)?.lines(from: sent ?? "") ?? []
    } else {
      let device = try source.makeDevice(
        for: trace.reader.header, firmware: firmware, showsPulses: false)
      var ledger = try Ledger(&trace.reader, device)
      if let both = try bothSides(ledger.entries) {
        ledger.insert(both.lost)
        sides = both.lines(from: sent ?? "")
      }
      explanation = Explanation(
        ledger, firmware: firmware, end: trace.reader.header.shownEnd(lastEvent: trace.reader.time))
      bytes = ledger.entries
    }
    trace.progress.clear()
    let misunderstandings = explanation.misunderstandingLines
    if sent == nil, isRecording, !misunderstandings.isEmpty { sides = Self.oneSide }
    let losses = power?.lines(bytes) ?? []
    try write(
      explanation.jsonLines, explanation.byteLines,
      misunderstandings + explanation.restLines(trace.facts, hasLosses: !losses.isEmpty)
        + explanation.worldLines + sides + losses)
  }

  /// Explains with what can be seen without knowing the sketch.
  private func observe(
    _ trace: inout TraceJob.Examined, on source: some DeviceSource, _ power: PowerAccount?
  ) throws {
    try worlds.refuse()
    let header = trace.reader.header
    job.verbosity.report(
      source.speedNotes(at: header.baud, speed: source.findSpeed()) + worlds.notes(header),
      about: job.trace)
    let device = try source.makeDevice(
      for: header, firmware: header.firmware(unless: job.choice.firmware), showsPulses: false)
    let session = try ObservedSession(&trace.reader, on: device)
    trace.progress.clear()
    if job.verbosity != .quiet { for remark in session.deviceRemarks { Console.report(remark) } }
    let explanation = ObservedExplanation(session, sketch: header.otherFirmware)
    let bytes = session.bytes.map { $0.entry }
    let sides = try bothSides(bytes)?.lines(from: sent ?? "") ?? []
    try write(
      explanation.jsonLines, explanation.byteLines,
      explanation.lossLines + explanation.restLines(trace.facts) + sides
        + (power?.lines(bytes) ?? []))
    if let fault = session.fault { throw fault }
  }

  /// What a recording of one side cannot show.
  private static let oneSide = [
    "",
    "This recording shows one side of the adapter: a byte that the adapter or the wire lost cannot "
      + "be told from",
    "one that was never sent. --sent FILE adds a recording of the computer's side.",
  ]

  /// Compares what reached the pin with what the computer sent; nil without a recording of that.
  private func bothSides(_ pin: [Ledger.Entry]) throws -> BothSides? {
    guard let path = sent else { return nil }
    var reader = try TraceReader(path: path, options: job.recording)
    try reader.limit(to: job.limit)
    var bytes: [UInt8] = []
    while let event = try reader.next() {
      if case .receive(let sent) = event.kind { bytes += sent }
    }
    let most = BothSides.countMax
    guard bytes.count <= most, pin.count <= most else {
      throw Failure.misuse("--sent compares at most \(most) bytes; --since and --until cut them.")
    }
    return BothSides(sent: bytes, pin: pin.filter { !$0.fate.isBeforeBoard })
  }

  private func write(
    _ json: @autoclosure () -> [String], _ bytes: @autoclosure () -> [String],
    _ summary: @autoclosure () -> [String]
  ) throws {
    if printsJSON {
      for line in json() { try Console.write(line) }
      return
    }
    if job.verbosity != .quiet { for line in bytes() { try Console.write(line) } }
    for line in summary() { try Console.write(line) }
  }
}
