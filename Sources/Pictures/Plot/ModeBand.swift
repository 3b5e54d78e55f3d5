package import Turret

/// What the sketch was doing, as a picture shows it: an `Activity` without its values.
package enum ModeBand: String, Hashable, Sendable, CaseIterable {
  case startingUp = "starting up"
  case idle
  case scanningUp = "scanning ↑"
  case scanningDown = "scanning ↓"
  case readingNumber = "reading a number"
  case purging
  case sounding

  /// Returns nil for an activity that takes only microseconds; the mode before it continues.
  package init?(_ activity: Activity) {
    switch activity {
    case .startingUp: self = .startingUp
    case .idle: self = .idle
    case .readingNumber: self = .readingNumber
    case .purging: self = .purging
    case .aiming: return nil
    case .scanning(_, let rising): self = rising ? .scanningUp : .scanningDown
    case .sounding: self = .sounding
    }
  }

  /// Whether the mode lasts longer than a command, so that a crowd of commands does not hide it.
  var isIndependent: Bool {
    switch self {
    case .idle, .readingNumber: false
    case .startingUp, .scanningUp, .scanningDown, .purging, .sounding: true
    }
  }

  /// Its class in the picture's style sheet.
  var styleClass: String {
    switch self {
    case .startingUp: "m-start"
    case .idle: "m-idle"
    case .scanningUp: "m-up"
    case .scanningDown: "m-down"
    case .readingNumber: "m-number"
    case .purging: "m-purge"
    case .sounding: "m-sound"
    }
  }

  /// A short name that fits a narrow band.
  var shortName: String? {
    switch self {
    case .startingUp: "start"
    case .scanningUp: "↑"
    case .scanningDown: "↓"
    case .readingNumber: "number"
    case .idle, .purging, .sounding: nil
    }
  }
}
