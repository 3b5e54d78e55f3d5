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
    let choice = try scenario.profile.map { (stated) throws(Failure) in
      try ProfileChoice(stated, besides: test.path)
    }
    let baud = scenario.baud ?? choice?.profile?.baud ?? source.findSpeed() ?? 9_600
    let sketch = SessionSketch(on: source, firmware: scenario.firmware, profile: choice)
    let firmware = sketch.firmware
    var header = Header(firmware: firmware, baud: baud, duration: nil, title: scenario.name)
    if let profile = sketch.profile { header.set(profile, on: source) }
    header.set(source: "sentrybench, \(source.name)")
    let showsPulses = scenario.needsPulses
    var device = try source.makeDevice(
      for: header, firmware: firmware, showsPulses: showsPulses)
    let capabilities = device.capabilities
    let kinds = showsPulses ? capabilities.observes : capabilities.observes.subtracting([.pulse])
    var setup = SessionSetup(
      firmware: firmware, profile: sketch.profile, timing: source.timing, baud: baud,
      on: capabilities, showing: kinds)
    setup.watch(scenario.rules, besides: source.pins, on: &device)
    if kinds.contains(.pin) { header.set(pins: setup.shownPins) }
    var rules = try SessionRules(test.rules(withTraces: !test.isFirst(updates: updates)), setup) {
      (path) throws(TraceError) in
      var reader = try TraceReader(path: test.resolved(path))
      try reader.limit(to: SessionLimit(remedy: "a session cannot be judged by a longer one"))
      return reader
    }
    var events: [Event] = []
    func take(_ event: Event) {
      rules.take(event)
      if keepsTrace || updates { events.append(event) }
    }
    guard case .bytes(let sent) = scenario.sender else { return SuiteResult(.passed) }
    var replay = Replay(device, until: nil, kinds: kinds)
    let format = source.findFormat()
    if format != .standard { replay.take(Event(.zero, .format(format)), take) }
    for part in sent { replay.take(Event(part.time, .receive(part.bytes)), take) }
    let end: Instant
    if let length = scenario.length {
      end = try checked(.zero + length)
    } else {
      let rest = try checked(scenario.sentEnd(baud: baud) + Self.rest)
      replay.pass(to: rest, take)
      let decided = try checked(rules.settles(from: rest))
      replay.pass(to: decided, take)
      end = try checked(rules.pulsesEnd(from: decided))
    }
    replay.finish(after: end, take)
    if let fault = replay.simulation.fault { throw fault }

    header.set(duration: end - .zero)
    let report = rules.finish(at: end, sender: nil)
    var result = SuiteResult(.passed)
    result.ruleCount = report.rules.count
    for failure in report.failures { result.add(SuiteFailure(failure)) }
    result.wrongSpeed = report.wrongSpeed?.text
    result.meant = report.meant
    if updates { try result.update(test) { Self.text(header, events) } }
    if keepsTrace, result.status != .agree { result.trace = Self.text(header, events) }
    return result
  }

  /// How long the session continues after the last byte, unless a rule needs more.
  private static let rest = Interval.seconds(2)

  /// Returns the session's end. Throws if the session is longer than a day.
  private func checked(_ end: Instant) throws(Failure) -> Instant {
    guard end - .zero <= SessionLimit.usual else {
      throw Failure(
        .malformed,
        NotationError(
          scenario.place,
          "expected a session of at most a day, found one of \(String(readable: end - .zero))"
        ).text(in: test.path))
    }
    return end
  }

  private static func text(_ header: Header, _ events: [Event]) -> [UInt8] {
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events { text.appendLine(event) }
    return text
  }
}
