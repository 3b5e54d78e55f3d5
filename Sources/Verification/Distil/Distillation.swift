import Traces
import Turret

/// The search for the smallest part of a session in which the same goes wrong. The models are
/// values in virtual time, so each attempt replays a part from the board's start.
struct Distillation {
  /// When the first byte is sent: after the start-up of every sketch.
  private static let start = Instant.zero + .milliseconds(1_500)
  /// The steps of the times, the coarsest first.
  private static let grains: [Interval] = [
    .milliseconds(100), .milliseconds(10), .milliseconds(1), .microseconds(100), .microseconds(1),
  ]
  /// How many inputs after the trouble can be needed to show it.
  private static let laterMax = 8
  /// How many beginnings are tried one by one; then twice as many inputs each time.
  private static let singleMax = 64
  /// A longer part is not tried: it would be no short test, and the search would take too long.
  static let longest = Interval.seconds(3_600)
  /// Inputs of a longer part are not tried one by one.
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
    // A trouble of the start-up needs the times since then.
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

  /// A session with these inputs, from the board's start on.
  private func part(_ events: [Event], isMoved: Bool) -> SessionInputs {
    var part = session
    part.isRunning = false
    part.events = events
    if isMoved { part = part.moved(to: Self.start, grain: .nanoseconds(1)) }
    part.end = Self.end(of: part)
    return part
  }

  /// Leaves out each input without which the trouble happens all the same.
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

  /// When a part has shown what follows its last byte, in tenths of a second.
  private static func end(of part: SessionInputs) -> Instant {
    let tenth = Interval.milliseconds(100).nanoseconds
    let tenths = ((part.shown - Instant.zero).nanoseconds + tenth - 1) / tenth
    return .zero + .nanoseconds(tenths * tenth)
  }
}
