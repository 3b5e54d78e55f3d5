import Devices
package import Sketches
import Traces

/// A short trace of a session that went wrong. It expects what should have been done.
package struct DistilledTest: Sendable {
  /// How many of the things that went wrong are tried.
  private static let troublesMax = 50
  /// A longer part would not be a short test, and the search would take too long.
  private static let longest = Interval.seconds(3_600)
  /// How early or late an output can be, because sketches differ in their timing.
  private static let tolerance = Interval.milliseconds(20)

  /// What went wrong.
  package let trouble: SessionTrouble
  /// The trace.
  package let text: [UInt8]
  /// How the sketch fails; nil if it does what was expected, so that its sender has to change.
  package let failure: Divergence?
  /// A scenario for the sender, to be filled in with the command that starts it; nil if the fault
  /// is the sketch's, or if no rule shows it.
  package let scenario: [UInt8]?
  /// The number of inputs that were kept.
  package let inputCount: Int
  package let duration: Interval

  /// Distils the first thing that went wrong at or after an instant and whose test the sketch
  /// fails; if there is none, the first thing that went wrong. Returns nil if nothing did.
  ///
  /// `wanted` is the sketch that does what should have been done; `end` is when the part of the
  /// session ends in which everything that was sent is known; nil for its own end; `source` is what
  /// the trace's header names as its source.
  package static func find(
    in session: SessionInputs, wanted: Firmware, after start: Instant = .zero,
    end: Instant? = nil, source: String
  ) -> DistilledTest? {
    var first: DistilledTest?
    let run = TrialRun(session, wanted: wanted, end: end)
    let troubles = run.troubles.filter { $0.time >= start }
    for trouble in troubles.prefix(troublesMax) {
      guard let part = part(of: session, showing: trouble, wanted: wanted) else { continue }
      let test = DistilledTest(part, trouble, wanted: wanted, source: source)
      if test.failure != nil { return test }
      first = first ?? test
    }
    return first
  }

  /// Returns the smallest part of a session found in which the same goes wrong; nil if only a part
  /// that is too long shows it. On a board that was already running, it can need the whole session.
  private static func part(
    of session: SessionInputs, showing trouble: SessionTrouble, wanted: Firmware
  ) -> SessionInputs? {
    var shrinker = Shrinker(session, failedBy: trouble.time, longest: longest)
    while let candidate = shrinker.next() {
      let troubles = TrialRun(candidate, wanted: wanted).troubles
      shrinker.take(fails: troubles.contains { $0.cause == trouble.cause })
    }
    return shrinker.smallest.flatMap { $0.end - .zero <= longest ? $0 : nil }
  }

  private init(_ part: SessionInputs, _ trouble: SessionTrouble, wanted: Firmware, source: String) {
    self.trouble = trouble
    inputCount = part.events.count
    duration = part.end - .zero
    // Any times in the title must be those of the part.
    let troubles = TrialRun(part, wanted: wanted).troubles
    let title = troubles.first { $0.cause == trouble.cause }?.text ?? trouble.text
    // Tones are expected only if the servo alone does not show the failure.
    let attempts = [[Output.Kind.servo], [.servo, .tone]].map { kinds in
      Self.text(part, wanted: wanted, expecting: Set(kinds), title: title, source: source)
    }
    let failures = attempts.map { Self.failure(of: $0) }
    let index = failures.firstIndex { $0 != nil } ?? 0
    text = attempts[index]
    failure = failures[index]
    scenario =
      trouble.culprit == .sender || trouble.culprit == .sketch && failures[index] == nil
      ? Self.scenario(part, title: title, wanted: wanted, source: source) : nil
  }

  /// The command in a scenario that stands for the one that starts the user's sender.
  package static let placeholder = "./your-sender"
  /// How the scenario begins.
  package static let scenarioStart = "# A scenario for the sender"

  /// Returns a scenario whose rule the part breaks, on its own sketch or the wanted one; or nil.
  private static func scenario(
    _ part: SessionInputs, title: String, wanted: Firmware, source: String
  ) -> [UInt8]? {
    for firmware in [part.firmware, wanted] {
      var inputs = part
      inputs.firmware = firmware
      let run = TrialRun(inputs, wanted: firmware)
      var mishaps = Set(run.entries.filter { $0.fate != .waiting }.compactMap { Mishap($0.fate) })
      // A number without an end is swallowed or abandoned, as the sketch and the next byte decide.
      if run.misunderstandings.contains(where: { $0.pattern.isOpenNumber }) {
        mishaps.formUnion([.swallowed, .abandoned])
      }
      guard !mishaps.isEmpty else { continue }
      let rules = Mishap.allCases.filter { mishaps.contains($0) }.map { $0.rawValue }
      let baud = part.baud == SerialLine.usualBaud ? "" : "baud: \(part.baud)\n"
      let text = """
        \(scenarioStart), by \(PlainText.escaped(source)): \(PlainText.escaped(title)).
        # Replace \(placeholder) with the command that starts your sender; it finds the port in \
        SENTRY_PORT.
        firmware: \(firmware.rawValue)
        \(baud)run: \(placeholder)
        expect:
          - never: [\(rules.joined(separator: ", "))]

        """
      return Array(text.utf8)
    }
    return nil
  }

  private static func text(
    _ part: SessionInputs, wanted: Firmware, expecting kinds: Set<Output.Kind>, title: String,
    source: String
  ) -> [UInt8] {
    var header = Header(
      firmware: part.firmware, baud: part.baud, duration: part.end - .zero, title: title)
    if part.isRunning { header.set(start: .unknown) }
    header.set(expects: kinds)
    header.set(tolerance: tolerance)
    header.set(source: source)
    var text: [UInt8] = []
    text.appendLine(header)
    let model = Model(wanted, for: header, showsPulses: false)
    var replay = Replay(model, until: part.end, kinds: kinds)
    for event in part.events { replay.take(event) { text.appendLine($0) } }
    replay.finish(after: part.end) { text.appendLine($0) }
    return text
  }

  /// Returns how the header's own sketch fails the trace; nil if it does not.
  private static func failure(of text: [UInt8]) -> Divergence? {
    guard var reader = try? TraceReader(text: text, path: "distilled"),
      let verdict = try? Verification().verify(&reader),
      case .diverges(let divergence) = verdict.outcome
    else { return nil }
    return divergence
  }
}
