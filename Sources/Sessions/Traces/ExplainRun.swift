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
    var input = try job.open()
    // What is wrong with it, what the supply did, and what became of its bytes.
    let progress = Progress(reading: &input, times: 3, isShown: job.verbosity != .quiet)
    defer { progress.clear() }
    var reader = try input.reader()
    try reader.limit(to: job.limit)
    let facts = try input.facts(on: job.choice)
    progress.clear()
    if let fault = facts?.fault {
      if printsJSON {
        job.verbosity.report(fault, .all, about: job.trace)
      } else {
        try Console.write("\(job.trace): \(fault.text(.all))")
        try Console.flush()
      }
    }
    job.verbosity.report(reader.notes, about: job.trace)
    job.choice.nameSketch(of: &reader)
    let chosen = job.choice.shown(for: reader.header)
    var power: PowerAccount?
    if var again = try input.readerAgain() { power = try PowerAccount(&again) }
    if chosen.reportsFates {
      try explain(&reader, on: chosen, power, facts, progress)
    } else {
      try observe(&reader, on: chosen, power, facts, progress)
    }
  }

  /// Explains with the model of the sketch.
  private func explain(
    _ reader: inout TraceReader, on source: some DeviceSource, _ power: PowerAccount?,
    _ facts: RecordingFacts?, _ progress: Progress
  ) throws {
    let firmware = try source.firmware(
      of: reader.header, in: reader.path, unless: job.choice.firmware)
    let explanation: Explanation
    var sides: [String] = []
    var bytes: [Ledger.Entry] = []
    let isRecording = reader.header.start == .unknown
    if let uncertainty = source.uncertainty(of: reader.header, unless: worlds.uncertainty) {
      progress.clear()
      var worlds = worlds
      worlds.showsProgress = job.verbosity != .quiet
      let (ledger, findings, _, _) = try worlds.explore(
        &reader, uncertainty: uncertainty, on: source, firmware: job.choice.firmware)
      explanation = Explanation(
        ledger, firmware: firmware, end: reader.header.shownEnd(lastEvent: reader.time),
        worlds: findings)
      sides = try bothSides(ledger.entries)?.lines(from: sent ?? "") ?? []
    } else {
      let device = try source.makeDevice(
        for: reader.header, firmware: firmware, showsPulses: false)
      var ledger = try Ledger(&reader, device)
      if let both = try bothSides(ledger.entries) {
        ledger.insert(both.lost)
        sides = both.lines(from: sent ?? "")
      }
      explanation = Explanation(
        ledger, firmware: firmware, end: reader.header.shownEnd(lastEvent: reader.time))
      bytes = ledger.entries
    }
    progress.clear()
    let misunderstandings = explanation.misunderstandingLines
    if sent == nil, isRecording, !misunderstandings.isEmpty { sides = Self.oneSide }
    let losses = power?.lines(bytes) ?? []
    try write(
      explanation.jsonLines, explanation.byteLines,
      misunderstandings + explanation.restLines(facts, hasLosses: !losses.isEmpty)
        + explanation.worldLines + sides + losses)
  }

  /// Explains with what can be seen without knowing the sketch.
  private func observe(
    _ reader: inout TraceReader, on source: some DeviceSource, _ power: PowerAccount?,
    _ facts: RecordingFacts?, _ progress: Progress
  ) throws {
    try worlds.refuse()
    let header = reader.header
    job.verbosity.report(
      source.speedNotes(header, speed: source.findSpeed()) + worlds.notes(header),
      about: job.trace)
    let device = try source.makeDevice(
      for: header, firmware: header.firmware(unless: job.choice.firmware), showsPulses: false)
    let session = try ObservedSession(&reader, on: device)
    progress.clear()
    if job.verbosity != .quiet { for remark in session.deviceRemarks { Console.report(remark) } }
    let explanation = ObservedExplanation(session, sketch: header.otherFirmware)
    let sides = try bothSides(session.bytes.map { $0.entry })?.lines(from: sent ?? "")
    let lost = power?.lines(session.bytes.map { $0.entry }) ?? []
    try write(
      explanation.jsonLines, explanation.byteLines,
      explanation.lossLines + explanation.restLines(facts) + (sides ?? []) + lost)
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
