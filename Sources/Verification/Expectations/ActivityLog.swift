import Turret

/// What a sketch did in the course of a session, in the model.
struct ActivityLog: Sendable {
  struct Period: Hashable, Sendable {
    var begin: Instant
    /// What the sketch did at first, with the values of that moment.
    var activity: Activity
  }

  private(set) var periods: [Period] = []

  /// Notes what the sketch does from `instant` on.
  mutating func note(_ activity: Activity?, at instant: Instant) {
    guard let activity, activity.phrase != periods.last?.activity.phrase else { return }
    periods.append(Period(begin: instant, activity: activity))
  }

  /// Returns what the sketch was doing at an instant, and until when; nil if that is not known.
  func doing(at instant: Instant) -> (period: Period, end: Instant?)? {
    let after = periods.partitioningIndex { $0.begin > instant }
    guard after > 0 else { return nil }
    return (periods[after - 1], after < periods.count ? periods[after].begin : nil)
  }

  /// Whether a servo write at `instant` is a step of a sweep: the last thing before it that moves
  /// the servo is a scan.
  func isSweeping(at instant: Instant) -> Bool {
    let after = periods.partitioningIndex { $0.begin > instant }
    for period in periods[..<after].reversed() {
      switch period.activity {
      case .scanning: return true
      case .aiming, .startingUp: return false
      case .idle, .readingNumber, .purging, .sounding: continue
      }
    }
    return false
  }
}

extension Activity {
  /// What the sketch is doing, without values.
  var phrase: String {
    switch self {
    case .startingUp: "starting up"
    case .idle: "idle"
    case .readingNumber: "reading a number"
    case .purging: "throwing away what waited (purge)"
    case .aiming: "writing to the servo"
    case .scanning: "scanning"
    case .sounding: "sounding a tone"
    }
  }
}
