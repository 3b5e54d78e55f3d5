package import Turret

/// The appearance of a byte's fate: a class for the colour, a shape and a word, since colour alone
/// is not accessible.
extension Fate {
  /// Its class in the picture's style sheet.
  package var styleClass: String {
    switch self {
    // They look like bytes that a model took.
    case .taken, .arrived: Fate.letter.styleClass
    default: "f-\(rawValue)"
    }
  }

  /// Whether the byte had the effect for which it was sent.
  var isTaken: Bool {
    switch self {
    case .letter, .digit, .terminator, .taken, .arrived: true
    case .swallowed, .skipped, .junk, .purged, .abandoned, .ringFull, .uartOverrun, .booting,
      .cleared, .waiting:
      false
    }
  }

  /// Whether the byte never reached the sketch.
  var isLost: Bool {
    switch self {
    case .ringFull, .uartOverrun, .booting, .cleared: true
    case .letter, .digit, .terminator, .swallowed, .skipped, .junk, .purged, .abandoned, .waiting,
      .taken, .arrived:
      false
    }
  }

  /// The name of the fate in the picture.
  var caption: String {
    switch self {
    case .letter, .digit, .terminator, .taken: "taken"
    case .swallowed: "swallowed"
    case .skipped: "skipped"
    case .junk: "junk"
    case .purged: "purged"
    case .abandoned: "abandoned"
    case .ringFull: "lost: buffer full"
    case .uartOverrun: "lost: UART full"
    case .booting: "lost: booting"
    case .cleared: "lost: reset"
    case .waiting: "never taken"
    case .arrived: "arrived"
    }
  }

  /// The shape on top of the byte's tick.
  var marker: Marker {
    switch self {
    case .letter, .digit, .terminator, .taken, .arrived: .none
    case .swallowed: .diamond
    case .skipped: .hollowDiamond
    case .junk: .triangle
    case .purged: .hollowTriangle
    case .abandoned: .circle
    case .waiting: .hollowCircle
    case .ringFull, .booting: .cross
    case .uartOverrun: .plus
    case .cleared: .square
    }
  }
}
