package import Turret

/// What a picture says the sketch was doing: an `Activity` without its figures.
package enum ModeBand: String, Hashable, Sendable, CaseIterable {
  case startingUp = "starting up"
  case idle
  case scanningUp = "scanning ↑"
  case scanningDown = "scanning ↓"
  case readingNumber = "reading a number"
  case purging
  case sounding

  /// Nil for what takes microseconds between two other things: the mode before it goes on.
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

  /// What a narrow band can still say.
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
