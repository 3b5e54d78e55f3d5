package import Traces
package import Turret

/// Judges a live session by a trace, for a sketch with a model or without one.
package enum TraceJudge: Sendable {
  case modelled(LiveJudge)
  case observed(ObservedJudge)

  /// Reads the trace to its end. The arguments are those of ``LiveJudge``. The sketch has no model
  /// if a profile is given, here or in the trace, that is not one of the bench's own, or if the
  /// trace names a sketch that is not one of the bench's own.
  package init(
    expected: inout TraceReader, firmware: Firmware, profile: Profile?,
    observes: Set<Output.Kind>, tolerance: Interval?, start: Header.Start = .reset,
    baud: Int? = nil, timing: Timing? = nil, gapMax: Interval? = nil
  ) throws(TraceError) {
    var own = profile
    if own == nil { own = try expected.header.ownProfile(in: expected.path) }
    if own != nil || expected.header.otherFirmware != nil {
      self = .observed(
        try ObservedJudge(
          expected: &expected, profile: own, observes: observes, tolerance: tolerance,
          start: start, baud: baud, gapMax: gapMax))
    } else {
      self = .modelled(
        try LiveJudge(
          expected: &expected, firmware: firmware, observes: observes, tolerance: tolerance,
          start: start, baud: baud, timing: timing, gapMax: gapMax))
    }
  }

  /// Why the session cannot be judged, known before it begins.
  package var refusal: Verdict? {
    switch self {
    case .modelled(let judge): judge.refusal
    case .observed(let judge): judge.refusal
    }
  }

  /// Takes the session's next event, in order of time.
  package mutating func take(_ event: Event) {
    // The judge is moved out and back, so that nothing is copied.
    switch consume self {
    case .modelled(var judge):
      judge.take(event)
      self = .modelled(judge)
    case .observed(var judge):
      judge.take(event)
      self = .observed(judge)
    }
  }

  /// Returns the instant until which a session whose sender is done at `now` must continue.
  package func settles(from now: Instant) -> Instant {
    switch self {
    case .modelled(let judge): judge.settles(from: now)
    case .observed(let judge): judge.settles(from: now)
    }
  }

  /// Ends the session.
  package mutating func finish(at end: Instant) -> Verdict {
    switch self {
    case .modelled(var judge): judge.finish(at: end)
    case .observed(var judge): judge.finish(at: end)
    }
  }
}
