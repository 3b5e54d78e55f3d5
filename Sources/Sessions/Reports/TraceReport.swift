package import Engine
package import Judging
package import Pictures
package import Sketches
import Traces

/// The result of one trace, as text and as data.
package struct TraceReport: Sendable {
  package var path: String
  /// What was assumed to convert a recording; empty for a trace.
  package var notes: [String] = []
  /// The path of the program on the emulated chip; nil on another device.
  package var program: String?
  /// Nil if the trace could not be read.
  package var verdict: Verdict?
  package var failure: Failure?
  /// What is wrong with the recording; nil if nothing is, or if the device did what it shows.
  package var fault: RecordingFault?
  /// The rules that hold and fail; nil if there are none.
  package var rules: RuleReport?
  /// The sender's wrong speed in a live session; nil if it had none.
  package var wrongSpeed: WrongSpeed?
  /// How the command after `--` ended in a live session; nil if there was none.
  package var sender: SenderReport?
  /// The names of a live session; nil for a trace.
  package var scenario: ReportNames?
  /// What `--update` changed.
  package var update: Update?
  package var elapsed = Duration.zero

  package init(path: String) { self.path = path }

  package var status: ExitStatus {
    if let failure { return failure.status }
    if update != nil { return .agree }
    if let sender, sender.hasFailed { return sender.status }
    if rules?.holds == false { return .disagree }
    if fault != nil { return .disagree }
    guard let verdict, !isOnlyRuled else { return .agree }
    return verdict.agrees ? .agree : .disagree
  }

  /// Whether only rules judge: a trace that expects nothing is not an error if rules state what to
  /// expect.
  var isOnlyRuled: Bool {
    guard rules != nil, case .nothingToCompare = verdict?.outcome else { return false }
    return true
  }

  /// Whether nothing was judged: the recorded times or outputs are not enough to decide, or there
  /// are none that this device shows.
  private var isUndecided: Bool {
    guard status == .disagree, rules?.holds != false else { return false }
    return switch verdict?.outcome {
    case .undecided, .nothingToCompare, .cannotObserve: true
    case .agrees: fault != nil
    case .diverges, .deviceFailed, nil: false
    }
  }

  // MARK: Text

  /// Returns the report as text; nil if there is nothing to report.
  package func text(isVerbose: Bool) -> String? {
    let fault = fault.map {
      "\(PlainText.escaped(path)): error: \(isUndecided ? "undecided: " : "")\($0.text(.all))"
    }
    let parts = [fault, verdictText(isVerbose: isVerbose), rulesText(isVerbose: isVerbose)]
    let text = parts.compactMap { $0 }.joined(separator: "\n")
    return text.isEmpty ? nil : text
  }

  private func rulesText(isVerbose: Bool) -> String? {
    guard let rules, !rules.holds || isVerbose else { return nil }
    // A live session needs no name: its rules state their places.
    guard scenario == nil else { return rules.text }
    let failing = rules.failures.count
    let title =
      rules.holds
      ? ""
      : "error: \(failing) of \(String(counting: rules.rules.count, "rule")) "
        + (failing == 1 ? "fails\n" : "fail\n")
    return "\(PlainText.escaped(path)): \(title)\(rules.text)"
  }

  private func verdictText(isVerbose: Bool) -> String? {
    guard let verdict, !isOnlyRuled else { return nil }
    let path = PlainText.escaped(path)
    if let update { return "\(path): updated: \(update.description)" }
    switch verdict.outcome {
    case .agrees:
      guard isVerbose else { return nil }
      var text = "\(path): agrees: \(String(counting: verdict.tally.matched, "event"))"
      if verdict.tally.matched > 0 {
        text += ", at most \(String(readable: verdict.worst)) off"
      }
      if let fit = verdict.fit { text += ", \(fit.text)" }
      if let worlds = verdict.worlds { text += ", in all of \(worlds.conditions)" }
      return text + (unjudged(verdict).map { "; \($0)" } ?? "")
    case .diverges(let divergence):
      return describe(divergence, verdict)
    case .undecided, .nothingToCompare, .cannotObserve: return undecided(verdict)
    case .deviceFailed(let error): return "\(path): \(error)"
    }
  }

  private func undecided(_ verdict: Verdict) -> String {
    let reason = verdict.outcome.openReason ?? ""
    var lines = ["\(PlainText.escaped(path)): error: undecided: \(reason)"]
    guard case .undecided = verdict.outcome, let worlds = verdict.worlds else { return lines[0] }
    lines.append("    " + "the recording cannot decide: \(worlds.conditions) were replayed")
    for line in worlds.openCommandLines + worlds.differenceLines { lines.append("    " + line) }
    if let nearest = worlds.nearestText { lines.append("    " + nearest) }
    return lines.joined(separator: "\n")
  }

  private func describe(_ divergence: Divergence, _ verdict: Verdict) -> String {
    let path = PlainText.escaped(path)
    var text = "\(path):\(divergence.line): error: \(divergence.message)\n"
    if let noticed = verdict.noticed {
      var doing = verdict.activity.map { "the sketch was \($0)" } ?? ""
      if let count = verdict.waitingCount {
        doing += (doing.isEmpty ? "" : ", ") + "\(String(counting: count, "byte")) waiting"
      }
      if !doing.isEmpty {
        text += "\(path):\(divergence.line): note: at \(Divergence.seconds(noticed)) \(doing)\n"
      }
    }
    text += DivergenceTable(divergence).text
    text += "    \(verdict.tally.text)"
    if let fit = verdict.fit { text += "; \(fit.text)" }
    if let worlds = verdict.worlds {
      text += "\n    the outputs differ in all of \(worlds.conditions)"
    }
    if let note = sweepNote { text += "\n\(path): note: \(note.text)" }
    return text
  }

  private var sweepNote: SweepNote? {
    verdict?.drift.map { SweepNote(drift: $0, trace: path, program: program) }
  }

  /// Returns what to add to the report of a live session that agrees; nil if there is nothing.
  private func unjudged(_ verdict: Verdict) -> String? {
    var parts: [String] = []
    if verdict.replaced > 0 { parts.append("\(verdict.replaced) replaced by a newer aim") }
    if verdict.merged > 0 { parts.append("\(verdict.merged) merged with the L before") }
    if !parts.isEmpty { parts = ["commands not sent: " + parts.joined(separator: ", ")] }
    if let gap = verdict.largestGap {
      parts.append("the sender's gaps differ by at most \(String(readable: gap.size))")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The counts of several traces; `elapsed` is how long it took, nil to leave that out.
  package static func summary(of reports: [TraceReport], in elapsed: Duration?) -> String {
    let agreeing = reports.count { $0.status == .agree && $0.update == nil }
    let updated = reports.count { $0.update != nil }
    let undecided = reports.count { $0.isUndecided }
    let failing = reports.count { $0.status == .disagree && !$0.isUndecided }
    let unreadable = reports.count { $0.failure != nil }
    let events = reports.reduce(0) { $0 + ($1.verdict?.tally.matched ?? 0) }
    let worst = reports.compactMap { $0.verdict?.worst }.max() ?? .zero
    let all = String(counting: reports.count, "trace")
    let verb = agreeing == 1 || reports.count == 1 ? "agrees" : "agree"
    var parts = [agreeing == reports.count ? "\(all) \(verb)" : "\(agreeing) of \(all) \(verb)"]
    if updated > 0 { parts.append("\(updated) updated") }
    if failing > 0 { parts.append("\(failing) disagree\(failing == 1 ? "s" : "")") }
    if undecided > 0 { parts.append("\(undecided) undecided") }
    if unreadable > 0 { parts.append("\(unreadable) could not be verified") }
    if events > 0 {
      parts.append(
        "\(String(counting: events, "event")) matched, at most \(String(readable: worst)) off")
    }
    return parts.joined(separator: ", ") + (elapsed.map { " (\(seconds($0)) s)" } ?? "")
  }

  package static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return "\(seconds).\(String(attoseconds / 1_000_000_000_000_000, digits: 3))"
  }

  // MARK: Data

  package var json: String {
    var json = JSONText()
    json.add("file", path)
    if let failure {
      json.add("verdict", "error")
      json.add("status", Int(failure.status.rawValue))
      json.add("message", failure.message)
      return json.text
    }
    if let sender, sender.hasFailed || rules != nil {
      var ended = JSONText()
      ended.add("message", sender.sentence)
      ended.add("status", Int(sender.status.rawValue))
      ended.add("stderr", sender.errors.text)
      json.add("sender", ended.value)
    }
    if let sender, sender.hasFailed { json.add("message", sender.sentence) }
    json.add("verdict", word)
    json.add("status", Int(status.rawValue))
    if let fault { json.add("recording", fault.text(.all)) }
    if status != .agree, let wrong = wrongSpeed ?? rules?.wrongSpeed {
      json.add("wrong_speed", wrong.text)
    }
    if let rules {
      json.add("rules", rules.rules.count)
      json.add("failures", .array(rules.failures.map(Self.json)))
      if !rules.meant.isEmpty { json.add("meant", .array(rules.meant.map { .string($0) })) }
    }
    guard let verdict, !isOnlyRuled else { return json.text }
    json.add("matched", verdict.tally.matched)
    json.add("moved", verdict.tally.moved)
    json.add("missing", verdict.tally.missing)
    json.add("extra", verdict.tally.extra)
    json.add("worst", verdict.worst)
    if let gap = verdict.largestGap {
      var largest = JSONText()
      largest.add("byte", gap.position + 1)
      largest.add("expected", gap.expected)
      largest.add("found", gap.found)
      largest.add("difference", gap.size)
      json.add("gap", largest.value)
    }
    if verdict.replaced > 0 { json.add("replaced", verdict.replaced) }
    if verdict.merged > 0 { json.add("merged", verdict.merged) }
    if let fit = verdict.fit {
      var clock = JSONText()
      clock.add("offset", fit.lateness)
      clock.add("drift_ppm", Int(fit.driftPPM))
      json.add("clock", clock.value)
    }
    if let worlds = verdict.worlds { json.add("worlds", worlds.json) }
    if let note = sweepNote { json.add("sweep", note.json) }
    switch verdict.outcome {
    case .agrees: break
    case .diverges(let divergence): json.add("divergence", Self.json(divergence, verdict))
    case .nothingToCompare, .cannotObserve, .deviceFailed, .undecided:
      json.add("message", text(isVerbose: false) ?? "")
    }
    return json.text
  }

  private var word: String {
    if update != nil { return "updated" }
    if status == .agree { return "agrees" }
    return isUndecided ? "undecided" : "disagrees"
  }

  private static func json(_ failure: RuleFailure) -> JSONValue {
    var json = JSONText()
    json.add("place", failure.rule.place)
    json.add("rule", "\(failure.rule.requirement)")
    if let time = failure.time { json.add("time", time) }
    json.add("text", failure.text)
    return json.value
  }

  private static func json(_ divergence: Divergence, _ verdict: Verdict) -> JSONValue {
    var json = JSONText()
    json.add("line", divergence.line)
    json.add("time", divergence.time)
    json.add("difference", divergence.difference.rawValue)
    if let expected = divergence.expected { json.add("expected", expected.event.json) }
    if let found = divergence.found { json.add("found", found.json) }
    if let activity = verdict.activity { json.add("activity", activity.description) }
    json.add("message", divergence.message)
    return json.value
  }
}

extension TraceReport {
  package var pageVerdict: ReportVerdict {
    if let failure {
      // A page shows what the terminal does, also of a session whose sender failed.
      var verdict = ReportVerdict(.open, "not judged", failure.message)
      if sender?.hasFailed == true { verdict = ReportVerdict(.bad, "failed", failure.message) }
      if let text = text(isVerbose: false) { verdict.text = text }
      return verdict
    }
    if update != nil {
      return ReportVerdict(.good, "updated", "The trace now contains what the device did.")
    }
    if let sender, sender.hasFailed { return ReportVerdict(.bad, "failed", sender.sentence) }
    let compared = isOnlyRuled ? nil : verdict.map { ReportVerdict($0) }
    func detailed(_ verdict: ReportVerdict) -> ReportVerdict {
      guard let compared else { return verdict }
      var verdict = verdict
      verdict.divergence = compared.divergence
      verdict.details = [compared.sentence] + compared.details
      return verdict
    }
    if let fault { return detailed(ReportVerdict(fault, .all)) }
    guard let rules else {
      return compared
        ?? ReportVerdict(.open, "not judged", "The session is shown as it was; nothing judged it.")
    }
    let count = String(counting: rules.rules.count, "rule")
    if rules.holds {
      return compared
        ?? ReportVerdict(.good, "holds", "The session meets all requirements: \(count).")
    }
    var failed = ReportVerdict(.bad, "fails", "\(rules.failures.count) of \(count) failed.")
    failed.text = rules.text
    return detailed(failed)
  }
}

/// The names of a judged session in a JUnit report.
package struct ReportNames: Hashable, Sendable {
  package var className: String
  package var testName: String

  /// A session that is judged by the trace at `path`. It is named after the trace's title or,
  /// without one, after the command that was judged.
  package init(trace path: String?, title: String?, command: [String]) {
    let suffix = ".jsonl"
    className =
      path.map { $0.hasSuffix(suffix) ? String($0.dropLast(suffix.count)) : $0 } ?? "run"
    let words = command.isEmpty ? "session" : command.joined(separator: " ")
    testName = title.flatMap { $0.isEmpty ? nil : $0 } ?? words
  }
}
