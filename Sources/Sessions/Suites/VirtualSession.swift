import Devices
import Files
import Traces
import Turret
import Verification

/// Runs a scenario whose sender is a list of bytes, in virtual time.
struct VirtualSession {
  let test: SuiteTest
  /// Whether the session is kept as a trace if it fails.
  let keepsTrace: Bool
  /// Whether a trace that the session disagrees with is rewritten.
  let updates: Bool

  private var scenario: Scenario { test.scenario }

  func run(on source: any DeviceSource) -> SuiteResult {
    let stopwatch = ContinuousClock().now
    var result: SuiteResult
    do {
      result = try judge(on: source)
    } catch let error as TraceError {
      result = SuiteResult(Failure(error))
    } catch let error as DeviceError {
      result = SuiteResult(Failure(error))
    } catch let failure as Failure {
      result = SuiteResult(failure)
    } catch {
      result = SuiteResult(Failure(.inputOutput, "error: \(error)"))
    }
    result.elapsed = ContinuousClock().now - stopwatch
    return result
  }

  private func judge(on source: some DeviceSource) throws -> SuiteResult {
    guard source.isVirtual else {
      throw Failure(
        .malformed,
        NotationError(
          scenario.place,
          "\"send\" requires a device in virtual time; with a board, use \"run\""
        ).text(in: test.path))
    }
    let baud = scenario.baud ?? 9_600
    let firmware = scenario.firmware ?? .guarded
    var header = Header(firmware: firmware, baud: baud, duration: nil, title: scenario.name)
    header.set(source: "sentrybench, \(source.name)")
    let showsPulses = scenario.needsPulses
    let device = try source.makeDevice(
      for: header, firmware: firmware, showsPulses: showsPulses)
    let capabilities = device.capabilities
    let kinds = showsPulses ? capabilities.observes : capabilities.observes.subtracting([.pulse])
    var golden = try goldenJudge(firmware, kinds, baud, source.timing)
    var record = SessionRecord(
      SessionSetup(
        firmware: firmware, timing: source.timing, baud: baud, start: capabilities.start,
        observes: kinds, reportsFates: capabilities.reportsFates))
    var events: [Event] = []
    func take(_ event: Event) {
      record.take(event)
      golden?.take(event)
      if keepsTrace || updates { events.append(event) }
    }
    var replay = Replay(device, until: nil, kinds: kinds)
    guard case .bytes(let sent) = scenario.sender else { return SuiteResult(.passed) }
    for part in sent { replay.take(Event(part.time, .receive(part.bytes)), take) }
    let end = try end(baud: baud, golden)
    replay.finish(after: end, take)
    if let fault = replay.simulation.fault { throw fault }
    record.finish(at: end)
    header.set(duration: end - .zero)

    let report = RuleReport(scenario.rules, record)
    var result = SuiteResult(.passed)
    result.ruleCount = report.rules.count
    for failure in report.failures { result.add(SuiteFailure(failure)) }
    try judge(golden?.finish(at: end), header, events, &result)
    if keepsTrace, result.status != .agree { result.trace = Self.text(header, events) }
    return result
  }

  /// When the session ends.
  private func end(baud: Int, _ golden: LiveJudge?) throws(Failure) -> Instant {
    var end = scenario.end(baud: baud)
    if scenario.length == nil, let golden {
      end = max(end, golden.settles(from: scenario.sentEnd(baud: baud)))
    }
    guard end - .zero <= SessionLimit.usual else {
      throw Failure(
        .malformed,
        NotationError(
          scenario.place,
          "expected a session of at most a day, found one of \((end - .zero).text)"
        ).text(in: test.path))
    }
    return end
  }

  // MARK: The trace that it must agree with

  /// Creates the judge; nil if the scenario names no trace.
  private func goldenJudge(
    _ firmware: Firmware, _ kinds: Set<Output.Kind>, _ baud: Int, _ timing: Timing?
  ) throws(TraceError) -> LiveJudge? {
    guard let golden = test.golden else { return nil }
    var reader: TraceReader
    do throws(TraceError) {
      reader = try TraceReader(path: golden.path)
    } catch {
      // It is written for the first time.
      if updates, error.code == .noInput { return nil }
      throw error
    }
    try reader.limit(to: SessionLimit(remedy: "no session is judged by a longer one"))
    return try LiveJudge(
      expected: &reader, firmware: firmware, observes: kinds, tolerance: golden.golden.tolerance,
      baud: baud, timing: timing, gapMax: golden.golden.gaps)
  }

  /// Adds the verdict, or rewrites the trace.
  private func judge(
    _ verdict: Verdict?, _ header: Header, _ events: [Event], _ result: inout SuiteResult
  ) throws(Failure) {
    guard let golden = test.golden, verdict?.agrees != true else { return }
    if updates {
      var file = try OutputFile(golden.path)
      try file.write(Self.text(header, events))
      try file.finish()
      result.updated.append(golden.path)
    } else {
      var report = TraceReport(path: golden.path)
      report.verdict = verdict
      result.add(SuiteFailure(golden.rule, report.text(isVerbose: true) ?? ""))
    }
  }

  private static func text(_ header: Header, _ events: [Event]) -> [UInt8] {
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events { text.appendLine(event) }
    return text
  }
}
