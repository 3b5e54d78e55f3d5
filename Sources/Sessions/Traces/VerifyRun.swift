package import Captures
package import Devices
import Engine
package import Judging
import Pictures
import Platform
package import Sketches
package import Traces

/// Verifies traces and folders of them.
package struct VerifyRun: Sendable {
  /// Traces and folders; `-` is standard input.
  private let paths: [String]
  private let choice: DeviceChoice
  /// How recordings by other tools are read.
  package var recording = CaptureOptions()
  /// The allowed error of an output's time; nil for what each trace states.
  package var tolerance: Interval?
  package var worlds = WorldsRun()
  /// Where to write the timing that agrees and is nearest to the recorded times.
  package var best: String?
  package var rules: RuleFile?
  /// Whether traces that disagree are rewritten.
  package var updates = false
  package var junit: String?
  package var page: ReportFile?
  package var printsJSON = false
  /// The number of traces to verify at once; nil for one for each processor.
  package var jobs: Int?
  package var shard: Shard?
  /// The longest session to accept; nil for any.
  package var limit: SessionLimit? = SessionLimit()
  package var verbosity = Verbosity.normal

  package init(_ paths: [String], on choice: DeviceChoice) {
    self.paths = paths
    self.choice = choice
  }

  /// Verifies all traces, prints the results, and throws the worst status.
  package func run() throws { try run(on: choice.source) }

  private func run(on source: some DeviceSource) throws {
    if updates && !source.isVirtual {
      throw Failure.misuse("--update requires a device in virtual time: a board's times vary.")
    }
    var verification = Verification()
    verification.firmware = choice.firmware
    verification.tolerance = tolerance

    var all = paths.flatMap { FoundFiles.find($0) }
    if updates {
      // A trace named twice is rewritten only once.
      var seen: Set<String> = []
      all.removeAll { !seen.insert($0.path).inserted }
    }
    try Outputs.spare(all.map(\.path))
    let chosen = shard?.part(of: all) ?? all
    let junitFile = try junit.map { path throws(Failure) in try OutputSlot(path) }
    let stopwatch = ContinuousClock().now
    let progress = Progress(total: chosen.reduce(0) { $0 + $1.size }, isShown: verbosity != .quiet)
    var reports: [TraceReport] = []
    var reported: Set<String> = []
    let jobs = min(jobs ?? Workers.processorCount, source.sessionCountMax ?? .max)
    var worlds = worlds
    // Several traces already use all processors.
    worlds.jobs = chosen.count == 1 ? jobs : 1
    worlds.showsProgress = chosen.count == 1 && verbosity != .quiet
    if best != nil, chosen.count != 1 {
      throw Failure.misuse("--best requires one trace; \(paths[0]) has \(chosen.count).")
    }
    let bestFile = try best.map { path throws(Failure) in try OutputSlot(trace: path) }
    let speed = source.findSpeed()
    try Workers.run(chosen, jobs: jobs) {
      [verification, worlds] file in
      verify(file, on: source, speed, verification, worlds, progress)
    } inOrder: { (report, best) throws(Failure) in
      progress.clear()
      verbosity.report(report.notes, about: report.path)
      for remark in report.verdict?.remarks ?? [] where reported.insert(remark).inserted {
        if verbosity != .quiet { Console.report(remark) }
      }
      if self.best != "-" { try show(report) }
      if let bestFile {
        if let best {
          try bestFile.write(String(decoding: best, as: UTF8.self))
        } else if report.failure == nil, verbosity != .quiet {
          Console.report(
            report.verdict?.worlds == nil
              ? "--best writes nothing: the trace states no uncertainty, and --uncertainty was not "
                + "given" : "--best writes nothing: no timing that was replayed agrees")
        }
      }
      reports.append(report)
    }
    progress.clear()
    let elapsed = ContinuousClock().now - stopwatch
    if !printsJSON && junit != "-" && best != "-" && verbosity != .quiet {
      try Console.write(TraceReport.summary(of: reports, in: elapsed))
    }
    try junitFile?.write(JUnit.report(reports, of: "verify", in: elapsed))
    if let page {
      let summary = TraceReport.summary(of: reports, in: nil)
      try write(page, reports, summary, verification.firmware, source)
    }
    try Console.flush()
    let worst = reports.map(\.status).max { $0.rank < $1.rank } ?? .agree
    if worst != .agree { throw Failure(worst) }
  }

  private func verify(
    _ file: FoundFile, on source: some DeviceSource, _ speed: Int?,
    _ verification: Verification, _ worlds: WorldsRun, _ progress: Progress
  ) -> (report: TraceReport, best: [UInt8]?) {
    let stopwatch = ContinuousClock().now
    defer { progress.finish(file.size) }
    var report = TraceReport(path: file.path)
    var best: [UInt8]?
    report.program = choice.programPath
    do {
      if let error = file.error { throw error }
      let counter = progress.counter()
      let input = try TraceInput(path: file.path, isReadAgain: true, options: recording)
      var reader = try input.reader()
      choice.addProfile(to: &reader)
      report.notes = reader.notes + source.speedNotes(at: reader.header.baud, speed: speed)
      try reader.limit(to: limit)
      if let uncertainty = source.uncertainty(of: reader.header, unless: worlds.uncertainty) {
        (report.verdict, best) = try worlds.judge(
          &reader, uncertainty: uncertainty, on: source, verification,
          findsNearest: self.best != nil)
      } else {
        report.verdict = try verification.verify(&reader, on: source) { counter.report($0) }
      }
      progress.take(back: counter)
      if let rules {
        var again = try input.reader()
        choice.nameSketch(of: &again)
        report.rules = try rules.report(on: &again, verification.firmware, source)
      }
      if case .deviceFailed(let error) = report.verdict?.outcome {
        report.verdict = nil
        var failure = Failure(error, on: file.path)
        if let why = report.rules?.memoryFault { failure.message += "; \(why)" }
        throw failure
      }
      // A device that does what a recording shows proves that its bytes are right. A trace from the
      // board's start can also state that junk, or nothing, has no effect.
      if rules == nil,
        report.verdict?.agrees != true
          || reader.header.start == .unknown && report.verdict?.tally.matched == 0
      {
        report.fault = try input.facts(on: choice)?.fault
      }
      if updates, report.verdict?.canBeUpdated == true, report.verdict?.worlds == nil,
        // A trace stamped by a computer, or of a running board, cannot be rewritten from the model.
        reader.header.clock == .device, reader.header.start == .reset
      {
        report.update = try Update.rewrite(file.path, on: source, verification)
      }
    } catch let failure as Failure {
      report.failure = failure
    } catch let error as TraceError {
      report.failure = Failure(error)
    } catch {
      report.failure = Failure(.inputOutput, "\(file.path): error: \(error)")
    }
    report.elapsed = ContinuousClock().now - stopwatch
    return (report, best)
  }

  /// Writes the page: of one trace, or of several with an index.
  private func write(
    _ file: ReportFile, _ reports: [TraceReport], _ summary: String, _ firmware: Firmware?,
    _ source: some DeviceSource
  ) throws {
    let verdicts = reports.map(\.pageVerdict)
    let shown = ReportFile.chosen(verdicts)
    var entries: [ReportEntry] = []
    for (index, report) in reports.enumerated() {
      var entry = ReportEntry(report.path, verdicts[index])
      if shown.contains(index), report.failure == nil {
        entry.report = try file.session(
          TraceInput(path: report.path, options: recording), path: report.path,
          divergence: entry.verdict.divergence, firmware: firmware, on: source, named: choice.name)
        if let tolerance { entry.report?.set("Tolerance", String(readable: tolerance)) }
      }
      entries.append(entry)
    }
    let isAlone = entries.count == 1
    try file.write(
      entries, heading: isAlone ? nil : "Verified traces", summary: isAlone ? nil : "\(summary).")
  }

  private func show(_ report: TraceReport) throws(Failure) {
    if printsJSON { return try Console.write(report.json) }
    if let failure = report.failure {
      try Console.flush()
      Console.report(failure.message)
    } else if junit != "-", let text = report.text(isVerbose: verbosity == .verbose) {
      try Console.write(text: text)
    }
  }
}

/// What `--update` did to one trace.
package struct Update: Sendable, CustomStringConvertible {
  var tally: Tally

  /// Rewrites a trace with the device's outputs: those of the kinds that it expects and has or, if
  /// there are none, all except those that are only recorded on request. Inputs, notes and the
  /// header stay.
  package static func rewrite(
    _ path: String, on source: some DeviceSource, _ verification: Verification
  ) throws -> Update {
    guard try TraceReader.canBeReadTwice(path) else {
      throw Failure(.inputOutput, "\(path): error: cannot be updated: it is not a file")
    }
    var reader = try TraceReader(path: path)
    let header = reader.header
    var kinds = try (header.expects ?? []).union(reader.kindsOfOutput() ?? [])
    if kinds.isEmpty { kinds = Set(Output.Kind.allCases.filter { !$0.isOnRequest }) }
    let device = try source.makeDevice(
      for: header,
      firmware: source.firmware(of: header, in: path, unless: verification.firmware),
      showsPulses: kinds.contains(.pulse))
    var comparison = Comparison(
      kinds: kinds, tolerance: verification.tolerance ?? header.tolerance)
    var file = try OutputFile(trace: path, isUpdate: true)
    var line: [UInt8] = []
    line.appendLine(header)
    try file.write(line)
    var replay = Replay(device, until: header.end, kinds: kinds)
    func put(_ event: Event, _ file: inout OutputFile) throws(Failure) {
      try file.writeLine(event)
      comparison.find(event)
    }
    while let event = try reader.next() {
      try replay.take(event) { (event) throws(Failure) in try put(event, &file) }
      comparison.expect(event, line: reader.line)
      comparison.settle(before: event.time, line: reader.line)
    }
    let last = reader.time
    try replay.finish(after: last) { (event) throws(Failure) in try put(event, &file) }
    let end = header.end ?? last
    comparison.finish(at: end, line: reader.line)
    try file.finish()
    return Update(tally: comparison.tally)
  }

  package var description: String {
    "\(tally.matched) kept, \(tally.moved) moved, \(tally.missing) removed, \(tally.extra) added"
  }
}

extension Verdict {
  /// Whether rewriting the expectations would help.
  package var canBeUpdated: Bool {
    switch outcome {
    case .agrees, .cannotObserve, .deviceFailed, .undecided: false
    case .diverges, .nothingToCompare: true
    }
  }
}

/// The I-th (from 1) of N parts of a list: those with index mod N = I - 1.
package struct Shard: Hashable, Sendable {
  private let index: Int
  private let count: Int

  /// - Parameters:
  ///   - index: from 1.
  ///   - count: at least `index`.
  package init(_ index: Int, of count: Int) {
    self.index = index
    self.count = count
  }

  /// Returns the part of a list.
  package func part<Element>(of all: [Element]) -> [Element] {
    all.enumerated().filter { $0.offset % count == index - 1 }.map(\.element)
  }
}
