package import Sketches
import Traces

/// A rule about how a turret follows a face. Degrees are those between the shaft and the face. On a
/// turret that pans and tilts, both shafts must keep it.
package enum TrackingRule: Hashable, Sendable, CustomStringConvertible {
  /// The shaft is that near to the face for at least this share, 0...1, of the time in which it can
  /// be seen.
  case tracks(Double, share: Double)
  /// After no jump of the face does the shaft go so far beyond it.
  case overshoot(below: Double)
  /// After each jump the shaft is that near in this time, and stays there.
  case settles(Double, within: Interval)
  /// While the face stands, the shaft moves less than this, from the least angle to the greatest.
  case oscillates(below: Double)
  /// The shaft turns back fewer times a minute.
  case reversals(below: Double)

  package var description: String {
    switch self {
    case .tracks(let degrees, let share):
      "track \(Self.text(degrees))° for \(Self.text(share * 100))%"
    case .overshoot(let degrees): "overshoot below \(Self.text(degrees))°"
    case .settles(let degrees, let time):
      "settles \(Self.text(degrees))° within \(String(readable: time))"
    case .oscillates(let degrees): "oscillates below \(Self.text(degrees))°"
    case .reversals(let count): "reversals below \(Self.text(count))/min"
    }
  }

  /// A figure with at most three decimal places.
  static func text(_ number: Double) -> String {
    String(shortest: (number * 1_000).rounded() / 1_000)
  }
}

extension RuleJudge {
  func decide(_ tracking: TrackingRule, _ record: SessionRecord) -> Decision {
    guard let end = record.end else { return .open(until: nil) }
    if let refusal = record.tracking.refusal { return untested(refusal, record) }
    let count = record.commands.count { $0.form != .unknown }
    guard let figures = record.tracking.figures(at: end, commands: count) else {
      return untested(TrackingRecord.tooShort, record)
    }
    let text = TrackingRule.text
    switch tracking {
    case .tracks(let degrees, let least):
      guard let share = figures.share(within: degrees), let worst = figures.worst,
        let thousandths = figures.thousandths(within: degrees)
      else {
        return untested("the face could never be seen", record)
      }
      if share >= least { return .holds(after: place) }
      return fails(
        [
          "\(figures.axes.isEmpty ? "the shaft was" : "both shafts were") within "
            + "\(text(degrees)) degrees of the face for \(text(Double(thousandths) / 10)) % of the "
            + "time",
          "it was furthest away at \(worst.time.text): \(text(worst.degrees)) degrees",
        ], shaftAt: worst.time, record)
    case .overshoot(let limit):
      guard let worst = figures.steps.max(by: { $0.overshoot < $1.overshoot }) else {
        return untested("the face never jumped", record)
      }
      if worst.overshoot < limit { return .holds(after: place) }
      return fails(
        ["\(worst.words), \(worst.axis.shaft) went \(text(worst.overshoot)) degrees beyond it"],
        shaftAt: worst.time, record)
    case .settles(let degrees, let limit):
      guard !figures.steps.isEmpty else { return untested("the face never jumped", record) }
      for step in figures.steps {
        let settling = step.settling(within: degrees)
        if let settling, settling <= limit { continue }
        let what =
          settling.map { "came to rest near it after \(String(readable: $0))" }
          ?? "did not come to rest near it before it left"
        return fails(["\(step.words), \(step.axis.shaft) \(what)"], shaftAt: step.time, record)
      }
      return .holds(after: place)
    case .oscillates(let limit):
      // A turret that does not see the face does not swing either.
      if let loss = figures.loss {
        return fails(
          [
            "the face stood at \(loss.axis == .tilt ? "tilt " : "")\(text(loss.degrees)) degrees, "
              + "and from \(loss.begin.text) on it was outside of the camera's view"
          ], shaftAt: loss.begin, record)
      }
      guard let swing = figures.swing else {
        return untested("the face never stood for 2 s", record)
      }
      if swing.degrees < limit { return .holds(after: place) }
      let rate =
        swing.hertz > 0 ? ", \(text((swing.hertz * 10).rounded() / 10)) times a second" : ""
      let note =
        "the face stood until \(swing.end.text), and from \(swing.begin.text) on "
        + "\(swing.axis.shaft) moved by \(text(swing.degrees)) degrees\(rate)"
      return fails([note], shaftAt: swing.begin, record)
    case .reversals(let limit):
      if figures.reversalsPerMinute < limit { return .holds(after: place) }
      let note =
        "\(figures.mostReversing.shaft) turned back \(String(counting: figures.reversals, "time")) "
        + "in \(String(readable: figures.length)): "
        + "\(text(figures.reversalsPerMinute.rounded())) a minute"
      return fails([note], record)
    }
  }
}

extension RuleJudge {
  /// Decides that the shaft breaks the rule at an instant. What it does is not among the events
  /// that are shown, so one of them is marked only if it is of that instant.
  private func fails(
    _ notes: [String], shaftAt instant: Instant, _ record: SessionRecord
  ) -> Decision {
    let event = record.event(by: instant)
    var failure = record.failure(rule, notes, at: instant, event: event)
    if let event, record.events[event].event.time < instant {
      failure.broken = nil
      failure.isBetweenEvents = true
    }
    return .fails(failure)
  }
}

extension TrackingFigures.Step {
  /// For the beginning of a sentence.
  fileprivate var words: String {
    "after the face had jumped from \(axis == .tilt ? "tilt " : "")\(TrackingRule.text(from)) to "
      + "\(TrackingRule.text(to)) at \(time.text)"
  }
}

extension TrackingFigures {
  /// The axis whose shaft turned back most often.
  fileprivate var mostReversing: Axis? {
    guard axes.count == 2 else { return nil }
    return axes[0].reversals < axes[1].reversals ? .tilt : .pan
  }
}

extension TrackingFigures.Axis? {
  /// What turns in this axis.
  fileprivate var shaft: String { map { "the \($0.rawValue) shaft" } ?? "the shaft" }
}
