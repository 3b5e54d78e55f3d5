import Devices
package import Sketches
import Traces

/// A short trace made from a session that went wrong. It expects what should have been done, so the
/// sketch of that session fails it.
package struct DistilledTest: Sendable {
  /// How many of the things that went wrong are tried.
  private static let troublesMax = 50
  /// How early or late an output can be, because sketches differ in their timing.
  private static let tolerance = Interval.milliseconds(20)

  /// What went wrong.
  package let trouble: SessionTrouble
  /// The trace.
  package let text: [UInt8]
  /// How the sketch fails; nil if it does what was expected, so that its sender has to change.
  package let failure: Divergence?
  /// The number of inputs that were kept.
  package let inputCount: Int
  package let duration: Interval

  /// Distils the first thing that went wrong at or after an instant and whose test the sketch
  /// fails; if there is none, the first thing that went wrong. Returns nil if nothing did.
  ///
  /// `wanted` is the sketch that does what should have been done; `source` is what the trace's
  /// header names as its source.
  package static func find(
    in session: SessionInputs, wanted: Firmware, after start: Instant = .zero, source: String
  ) -> DistilledTest? {
    var first: DistilledTest?
    let troubles = TrialRun(session, wanted: wanted).troubles.filter { $0.time >= start }
    for trouble in troubles.prefix(troublesMax) {
      let distillation = Distillation(session, wanted: wanted, trouble.cause)
      let isShort = session.end - .zero <= Distillation.longest
      guard let part = distillation.part(around: trouble) ?? (isShort ? session : nil) else {
        continue
      }
      let test = DistilledTest(part, trouble, wanted: wanted, source: source)
      if test.failure != nil { return test }
      first = first ?? test
    }
    return first
  }

  private init(
    _ part: SessionInputs, _ trouble: SessionTrouble, wanted: Firmware, source: String
  ) {
    self.trouble = trouble
    inputCount = part.events.count
    duration = part.end - .zero
    // Any times in the title must be those of the part.
    let title = TrialRun(part, wanted: wanted).trouble(trouble.cause)?.text ?? trouble.text
    // Tones are expected only if the servo alone does not show the failure.
    let attempts = [[Output.Kind.servo], [.servo, .tone]].map { kinds in
      Self.text(part, wanted: wanted, expecting: Set(kinds), title: title, source: source)
    }
    let failures = attempts.map { Self.failure(of: $0) }
    let index = failures.firstIndex { $0 != nil } ?? 0
    text = attempts[index]
    failure = failures[index]
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

/// The search for the smallest part of a session in which the same thing goes wrong. Each attempt
/// replays a part on the models from the board's start, in virtual time.
struct Distillation {
  /// When the first byte is sent: after the start-up of every sketch.
  private static let start = Instant.zero + .milliseconds(1_500)
  /// The units to which times are rounded, the coarsest first.
  private static let grains: [Interval] = [
    .milliseconds(100), .milliseconds(10), .milliseconds(1), .microseconds(100), .microseconds(1),
  ]
  /// How many inputs after the trouble can be needed to show it.
  private static let laterMax = 8
  /// Up to this many inputs, a part grows by one input at a time; then its length is doubled.
  private static let singleMax = 64
  /// A longer part is not tried: it would not be a short test, and the search would take too long.
  static let longest = Interval.seconds(3_600)
  /// Inputs are not removed one by one from a part with more inputs than this.
  private static let thinnedMax = 400

  private let session: SessionInputs
  private let wanted: Firmware
  private let cause: SessionTrouble.Cause

  init(_ session: SessionInputs, wanted: Firmware, _ cause: SessionTrouble.Cause) {
    self.session = session
    self.wanted = wanted
    self.cause = cause
  }

  /// Returns the smallest part found in which the trouble happens; nil if it needs the whole
  /// session, as on a board that was already running.
  func part(around trouble: SessionTrouble) -> SessionInputs? {
    guard let index = session.events.lastIndex(where: { $0.time <= trouble.time }) else {
      return nil
    }
    let last = min(session.events.count - 1, index + Self.laterMax)
    for end in index...last {
      if let part = beginning(before: end) { return rounded(thinned(part)) }
    }
    return nil
  }

  /// Returns the shortest part that ends with an input.
  private func beginning(before end: Int) -> SessionInputs? {
    // Trouble during the start-up needs the original times since the start.
    for isMoved in [true, false] {
      var count = 1
      while true {
        let events = Array(session.events[max(0, end + 1 - count)...end])
        let start = isMoved ? events[0].time : .zero
        if session.events[end].time - start > Self.longest { break }
        let part = self.part(events, isMoved: isMoved)
        if happens(in: part) { return part }
        if count > end { break }
        count = min(end + 1, count < Self.singleMax ? count + 1 : count * 2)
      }
    }
    return nil
  }

  /// Returns a session with these inputs, from the board's start on.
  private func part(_ events: [Event], isMoved: Bool) -> SessionInputs {
    var part = session
    part.isRunning = false
    part.events = events
    if isMoved { part = part.moved(to: Self.start, grain: .nanoseconds(1)) }
    part.end = Self.end(of: part)
    return part
  }

  /// Leaves out each input without which the trouble still happens.
  private func thinned(_ part: SessionInputs) -> SessionInputs {
    guard part.events.count <= Self.thinnedMax else { return part }
    var part = part
    var index = 0
    while index < part.events.count, part.events.count > 1 {
      var fewer = part
      fewer.events.remove(at: index)
      fewer.end = Self.end(of: fewer)
      if happens(in: fewer) { part = fewer } else { index += 1 }
    }
    return part
  }

  /// Makes the times as round as possible.
  private func rounded(_ part: SessionInputs) -> SessionInputs {
    guard let first = part.events.first?.time else { return part }
    for grain in Self.grains {
      for start in [Self.start, first] {
        var round = part.moved(to: start, grain: grain)
        round.end = Self.end(of: round)
        if happens(in: round) { return round }
      }
    }
    return part
  }

  private func happens(in part: SessionInputs) -> Bool {
    TrialRun(part, wanted: wanted).trouble(cause) != nil
  }

  /// Returns when a part has shown what follows its last byte, rounded up to tenths of a second.
  private static func end(of part: SessionInputs) -> Instant {
    let tenth = Interval.milliseconds(100).nanoseconds
    let tenths = ((part.shown - Instant.zero).nanoseconds + tenth - 1) / tenth
    return .zero + .nanoseconds(tenths * tenth)
  }
}
