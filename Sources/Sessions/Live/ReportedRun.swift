import Devices
import Engine
package import Judging
import Logging
import Pictures
import Platform
package import Sketches
import Traces

/// A live session whose result is printed and, as far as requested, written to a JUnit report and a
/// page.
package enum ReportedRun {
  /// Runs the session. Throws a failure with its status, unless that is 0.
  ///
  /// - Parameters:
  ///   - judge: the trace that the session is judged by, which is at `expected`; nil for none.
  ///   - rules: the path of the rules that judge it.
  ///   - printsJSON: whether the verdict is printed as JSON on standard output.
  ///   - begun: when the command began.
  package static func start(
    _ plan: LivePlan, named names: ReportNames, judgedBy judge: consuming ExpectedTrace?,
    in expected: String?, rules: String?, junit: OutputSlot?, page: ReportFile?, printsJSON: Bool,
    since begun: HostTime
  ) throws {
    let isQuiet = plan.verbosity == .quiet
    let picture = Picture(source: plan.source, servo: plan.session.servo, expected: expected)
    var report = TraceReport(path: expected ?? rules ?? "")
    report.scenario = names
    var trace: [UInt8]?
    func finish() throws {
      report.elapsed = .nanoseconds((HostTime.now - begun).nanoseconds)
      try junit?.write(JUnit.report([report], of: "run", in: report.elapsed))
      if let page { try page.write([picture.entry(of: report, trace, in: page)]) }
    }
    do {
      let outcome = try LiveRun(plan, judgedBy: judge).run()
      report.verdict = outcome.verdict
      report.wrongSpeed = outcome.wrongSpeed
      report.sender = outcome.sender
      report.rules = outcome.rules
      trace = outcome.trace
      do throws(Failure) {
        if printsJSON { try Console.write(report.json) }
      } catch {
        // A session that could not be judged is the more serious failure.
        throw outcome.failure.flatMap { $0.status == .disagree ? nil : $0 } ?? error
      }
      // With both, nothing but the sender's own output is on standard error.
      if !(printsJSON && isQuiet), let text = report.text(isVerbose: !isQuiet) {
        Console.report(text: text)
      }
      // Otherwise, the lines about the session say it, and so does the report of rules.
      if isQuiet, !printsJSON, outcome.isUnreached, outcome.verdict?.agrees == false {
        Console.remark(Session<ModelSource.Made>.unreached)
      }
      try outcome.check()
    } catch {
      // Any other error is an error of the session, whatever the turret did.
      let failure = Failure(error, report.sender)
      if failure.status != .disagree || report.sender?.hasFailed == true {
        report.failure = failure
      }
      try finish()
      // The JSON object has already reported it.
      if printsJSON && isQuiet && report.sender != nil { throw Failure(failure.status) }
      throw error
    }
    try finish()
  }
}

/// What a page about a live session shows next to its verdict.
private struct Picture {
  let source: any DeviceSource
  let servo: ServoData
  let expected: String?

  func entry(
    of report: TraceReport, _ trace: [UInt8]?, in file: ReportFile
  ) throws -> ReportEntry {
    let testName = report.scenario?.testName
    let name = report.path.isEmpty ? testName ?? "session" : report.path
    var entry = ReportEntry(name, report.pageVerdict)
    entry.report = try trace.map {
      try file.session(
        $0, named: testName ?? name, divergence: entry.verdict.divergence, on: source,
        servo: servo)
    }
    if let expected { entry.report?.set("Judged by", expected) }
    return entry
  }
}

extension Failure {
  /// Returns the failure for the report, always with a message.
  fileprivate init(_ error: any Error, _ sender: SenderReport?) {
    self.init(any: error)
    if message.isEmpty {
      message =
        status.rawValue > 128
        ? "the bench was ended by signal \(status.rawValue - 128)"
        : "the session ended with status \(status.rawValue)"
    } else if let sender, sender.hasFailed {
      message = sender.sentence
    }
  }
}

/// How a live session ended, and what it showed.
package struct LiveOutcome {
  /// The judge's verdict; nil if the session was not compared with anything.
  package var verdict: Verdict?
  /// The rules that hold and fail; nil if there are none.
  package var rules: RuleReport?
  /// The sender's wrong speed, which explains most of what failed; nil if it had none.
  package var wrongSpeed: WrongSpeed?
  /// How the command after `--` ended; nil if there was none.
  package var sender: SenderReport?
  /// The end of what the command printed; empty if that was not kept.
  var output = ErrorTail(keeping: SuiteOutput.keptMax)
  /// Whether there was a command, and it never opened the port.
  var isUnreached = false
  /// Why the device no longer worked; nil if it did.
  var fault: DeviceError?
  /// The session as a trace; nil if it was not kept.
  package var trace: [UInt8]?
  /// Why the process does not exit with 0; nil if it does.
  package var failure: Failure?

  /// Whether the session does not meet the expectations.
  var disagrees: Bool { verdict?.agrees == false || rules?.holds == false }

  /// Returns why the expectations are not met, or that the computer was too slow to judge. Nil if
  /// they are met, or if there are none.
  func failure(on slowness: String?) -> Failure? {
    if let slowness, verdict != nil || rules != nil {
      return Failure(.unavailable, "error: \(slowness)")
    }
    return disagrees ? Failure(.disagree) : nil
  }

  /// - Throws: `failure`.
  package func check() throws(Failure) {
    if let failure { throw failure }
  }
}

/// The lines that a live session prints when it ends.
enum LiveReport {
  static func lines(_ bench: LiveBench<some DeviceSource>) -> [String] {
    let counts = bench.session.counts
    var parts = ["\(String(counting: counts.received, "byte")) received"]
    if let commands = bench.session.commandCount {
      parts.append(String(counting: commands, "command"))
    }
    parts.append(String(counting: counts.servoEvents, "servo event"))
    for (why, number) in counts.lost.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      parts.append("\(String(counting: number, "byte")) lost (\(why.rawValue))")
    }
    if bench.session.unreadCount > 0 {
      parts.append("\(String(counting: bench.session.unreadCount, "byte")) that no sender read")
    }
    var lines = [parts.joined(separator: ", ")]
    if !bench.session.isReached, bench.plan.hasPty, !bench.plan.command.isEmpty {
      lines.append(Session<ModelSource.Made>.unreached)
    }
    if let unsent = bench.unsentSummary { lines.append(unsent) }
    if let note = bench.session.unstruckNote { lines.append(note) }
    let late = bench.pacer.lateness
    if bench.plan.isVerbose, let median = late.percentile(50), let tail = late.percentile(99) {
      lines.append(
        "woke \(String(counting: late.count, "time")) for the device, late by "
          + "\(rounded(median)) (median), \(rounded(tail)) (99th percentile), "
          + "\(rounded(late.worst)) (worst)")
    }
    if let line = bench.backlog.finalLine(end: bench.session.now) { lines.append(line) }
    return lines
  }

  /// Formats an interval in whole microseconds. Nanoseconds would be hard to read, and no clock
  /// here is that precise.
  private static func rounded(_ interval: Interval) -> String {
    String(readable: .microseconds((interval.nanoseconds + 500) / 1_000))
  }
}

/// Where a live session reports lines to its user.
enum SessionNotices {
  case terminal
  case log(BenchLog)
  /// The client in the same process.
  case host(Mailbox)

  func report(_ line: String) {
    switch self {
    case .terminal: Console.remark(line)
    case .log(let log): log.logger.notice("\(line)")
    case .host(let host): host.add(remark: line)
    }
  }
}
