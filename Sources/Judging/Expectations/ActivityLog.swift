import Sketches

/// What one of the bench's own sketches can be doing for some time. The raw value is the word in a
/// rule.
package enum KnownActivity: String, Hashable, Sendable, CaseIterable {
  case startingUp = "starting-up"
  case idle
  case reading
  case purging
  case scanning
  case sounding

  /// Another word for `scanning` in a rule.
  package static let sweeping = "sweeping"

  /// The activity in words that follow "the sketch was".
  var words: String {
    switch self {
    case .startingUp: "starting up"
    case .reading: "reading a number"
    case .scanning: "sweeping"
    default: rawValue
    }
  }

  /// The nearest of these: a sketch that writes an angle, or empties its ring, is idle soon.
  init(of activity: Activity) {
    self =
      switch activity {
      case .startingUp: .startingUp
      case .idle, .aiming, .purging: .idle
      case .readingNumber: .reading
      case .scanning: .scanning
      case .sounding: .sounding
      }
  }

  fileprivate func includes(_ activity: Activity) -> Bool {
    switch activity {
    case .aiming: false
    case .purging: self == .purging
    default: self == KnownActivity(of: activity)
    }
  }
}

/// What a sketch did in the course of a session, in the model.
struct ActivityLog: Sendable {
  struct Period: Hashable, Sendable {
    var begin: Instant
    /// What the sketch did at first, with the values of that moment.
    var activity: Activity
  }

  /// Whether the sketch continues its sweep while it reads a number. In any other sketch, every
  /// byte ends the sweep.
  private let polls: Bool
  private(set) var periods: ArraySlice<Period> = []
  /// Whether the last thing before the first period that moved the servo was a sweep, whether the
  /// sketch was sweeping then, and if so, since when.
  private var wasStep = false
  private var wasSweeping = false
  private var sweepBegin: Instant?

  init(polls: Bool) { self.polls = polls }

  /// Notes what the sketch does from `instant` on.
  mutating func note(_ activity: Activity?, at instant: Instant) {
    guard let activity, activity.phrase != periods.last?.activity.phrase else { return }
    periods.append(Period(begin: instant, activity: activity))
  }

  /// Returns what the sketch was doing at an instant, and until when; nil if that is not known.
  func doing(at instant: Instant) -> (period: Period, end: Instant?)? {
    let after = end(by: instant)
    guard after > periods.startIndex else { return nil }
    return (periods[after - 1], after < periods.endIndex ? periods[after].begin : nil)
  }

  /// Forgets the periods that ended long before an instant.
  mutating func drop(before instant: Instant) {
    // An aim depends on what was before it.
    let first = end(by: instant) - 3
    guard first > periods.startIndex else { return }
    var begin = first
    while begin > periods.startIndex, isSweeping(at: periods[begin - 1].begin) { begin -= 1 }
    if begin > periods.startIndex || sweepBegin == nil {
      sweepBegin = begin < first ? periods[begin].begin : nil
    }
    wasStep = isStep(by: first)
    wasSweeping = isSweeping(by: first)
    periods = periods[first...]
  }

  func isDoing(_ activity: KnownActivity, at instant: Instant) -> Bool {
    doing(at: instant).map { activity.includes($0.period.activity) } ?? false
  }

  /// Whether a servo write at `instant` is a step of a sweep: the last thing before it that moves
  /// the servo is a scan. A board can report its write when the sketch is doing something else.
  func isStep(at instant: Instant) -> Bool { isStep(by: end(by: instant)) }

  private func isStep(by end: Int) -> Bool {
    for index in (periods.startIndex..<end).reversed() {
      switch periods[index].activity {
      case .scanning: return true
      case .aiming: return isStep(aim: index)
      case .startingUp: return false
      case .idle, .readingNumber, .purging, .sounding: continue
      }
    }
    return wasStep
  }

  func isSweeping(at instant: Instant) -> Bool { isSweeping(by: end(by: instant)) }

  private func isSweeping(by end: Int) -> Bool {
    for index in (periods.startIndex..<end).reversed() {
      switch periods[index].activity {
      case .scanning: return true
      case .aiming: return isStep(aim: index)
      case .readingNumber where polls: continue
      case .readingNumber, .startingUp, .idle, .purging, .sounding: return false
      }
    }
    return wasSweeping
  }

  /// Returns the periods in which the sketch did something; the last ends at `end` at the latest.
  /// A sweep includes the moments in which the sketch writes its steps, and in a sketch that
  /// `polls` those in which it reads a number.
  func periods(of known: KnownActivity, until end: Instant) -> [(begin: Instant, end: Instant)] {
    var found: [(begin: Instant, end: Instant)] = []
    for (index, period) in zip(periods.indices, periods) {
      let isMeant =
        known == .scanning ? isSweeping(at: period.begin) : known.includes(period.activity)
      guard isMeant else { continue }
      let next = index + 1 < periods.endIndex ? periods[index + 1].begin : end
      if let last = found.last, last.end == period.begin {
        found[found.count - 1].end = next
      } else {
        let isGoingOn = index == periods.startIndex && known == .scanning
        found.append((isGoingOn ? sweepBegin ?? period.begin : period.begin, next))
      }
    }
    return found
  }

  /// The guarded sketch writes each step of its sweep as it writes an aim. After a step it
  /// continues to scan or to read a number, and after an aim it is idle.
  private func isStep(aim index: Int) -> Bool {
    if index + 1 < periods.endIndex {
      let next = periods[index + 1].activity
      return next.isScanning || next.isReadingNumber
    }
    return index > periods.startIndex && periods[index - 1].activity.isScanning
  }

  /// Returns the index after the periods that have begun by an instant.
  private func end(by instant: Instant) -> Int {
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
    case .scanning: "sweeping"
    case .sounding: "sounding a tone"
    }
  }
}
