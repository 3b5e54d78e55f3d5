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
    let after = count(by: instant)
    guard after > 0 else { return nil }
    return (periods[after - 1], after < periods.count ? periods[after].begin : nil)
  }

  /// Whether a servo write at `instant` is a step of a sweep: the last thing before it that moves
  /// the servo is a scan. A board can report its write when the sketch is doing something else.
  func isStep(at instant: Instant) -> Bool {
    for index in (0..<count(by: instant)).reversed() {
      switch periods[index].activity {
      case .scanning: return true
      case .aiming: return isStep(aim: index)
      case .startingUp: return false
      case .idle, .readingNumber, .purging, .sounding: continue
      }
    }
    return false
  }

  /// Whether the sketch is sweeping at `instant`. A sketch that `polls` continues its sweep while
  /// it reads a number. In any other sketch, every byte ends the sweep.
  func isSweeping(at instant: Instant, polls: Bool) -> Bool {
    for index in (0..<count(by: instant)).reversed() {
      switch periods[index].activity {
      case .scanning: return true
      case .aiming: return isStep(aim: index)
      case .readingNumber where polls: continue
      case .readingNumber, .startingUp, .idle, .purging, .sounding: return false
      }
    }
    return false
  }

  /// The guarded sketch writes each step of its sweep as it writes an aim. After a step it
  /// continues to scan or to read a number, and after an aim it is idle.
  private func isStep(aim index: Int) -> Bool {
    if index + 1 < periods.count {
      let next = periods[index + 1].activity
      return next.isScanning || next.isReadingNumber
    }
    return index > 0 && periods[index - 1].activity.isScanning
  }

  /// The number of periods that have begun by an instant.
  private func count(by instant: Instant) -> Int {
    periods.partitioningIndex { $0.begin > instant }
  }
}

extension Activity {
  /// What the sketch is doing, without values.
  var phrase: String {
    switch self {
    case .startingUp: "starting up"
    case .idle: "idle"
    case .readingNumber: "reading a number"
    case .purging: "discarding the waiting bytes (purge)"
    case .aiming: "writing to the servo"
    case .scanning: "scanning"
    case .sounding: "sounding a tone"
    }
  }
}
