import Traces
import Turret

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
