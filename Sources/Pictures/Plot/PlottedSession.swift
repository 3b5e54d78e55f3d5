package import Judging
package import Sketches
import Traces

/// The contents of a session's picture, as a value.
package struct PlottedSession: Hashable, Sendable {
  /// A value at an instant, in degrees unless specified as microseconds.
  package struct Sample: Hashable, Sendable {
    package var time: Instant
    package var value: Double

    package init(_ time: Instant, _ value: Double) {
      self.time = time
      self.value = value
    }
  }

  /// A period in which the sketch did one thing.
  package struct Band: Hashable, Sendable {
    package var start: Instant
    package var end: Instant
    package var mode: ModeBand

    package init(_ start: Instant, _ end: Instant, _ mode: ModeBand) {
      self.start = start
      self.end = end
      self.mode = mode
    }
  }

  /// A period in which the buzzer sounded.
  package struct Tone: Hashable, Sendable {
    package var start: Instant
    package var end: Instant
    package var hertz: Double

    package init(_ start: Instant, _ end: Instant, hertz: Double) {
      self.start = start
      self.end = end
      self.hertz = hertz
    }
  }

  package var title: String?
  /// The firmware, device and servo.
  package var subtitle: String
  /// The first and the last instant of the picture.
  package var start = Instant.zero
  package var end: Instant
  /// Whether the session ends with the picture.
  package var isWhole = true
  /// The angles between which the sketch scans, degrees; nil if that is unknown.
  package var scan: ClosedRange<UInt8>? = 20...160
  /// The servo events: the commanded angle in degrees from each of them on.
  package var commanded: [Sample] = []
  /// The pulses on the pin: rising edge and width in microseconds.
  package var pulses: [Sample] = []
  /// The shaft's angle in degrees, connected by straight lines.
  package var shaft: [Sample] = []
  /// The other servos, in order of their pins, and how many more there are.
  package var others: [PlottedServo] = []
  package var undrawnServoCount = 0
  /// The name of the session's own servo in the legend, next to others. A recording does not state
  /// its pin.
  package var ownLabel = "first servo"
  /// Whether the legend lists the other servos in rows of their own.
  var hasServoRows: Bool { others.count > PlottedServo.colorCount }
  /// Whether the shaft follows the commanded pulses, because the pulses on the pin are unknown.
  package var shaftFollowsCommands = false
  /// The rows of levels, in order of kinds and pins, and how many more there are.
  package var levels: [PlottedLevel] = []
  package var undrawnLevelCount = 0
  package var modes: [Band] = []
  package var tones: [Tone] = []
  /// The instants at which the board restarted.
  package var resets: [Instant] = []
  package var bytes: [Ledger.Entry] = []
  /// From when on bytes are not drawn because there are too many; nil if all are.
  package var bytesEnd: Instant?
  /// The trace's own servo events, if it has any.
  package var expected: [Sample] = []
  package var divergence: Divergence?
  /// What is wrong with the recording, as a sentence without its full stop; nil if nothing is.
  package var doubt: String?
  /// The range of the commanded angle over other timings of the same session, if the recorded times
  /// are uncertain.
  package var band: AngleBand?
  /// How those timings were made; nil if the recorded times are exact.
  package var worlds: String?
  /// When each byte can have arrived, if the recorded times are uncertain, in order.
  package var byteRanges: [ClosedRange<Instant>] = []
  /// Whether samples were omitted because there were more than a picture can show.
  package var isThinned = false

  package init(title: String?, subtitle: String, end: Instant) {
    self.title = title
    self.subtitle = subtitle
    self.end = end
  }

  /// Whether a page's script can draw it: the script draws no other servos, and only the fates of a
  /// model.
  var isEnlargeable: Bool {
    others.isEmpty && bytes.allSatisfy { $0.fate != .taken && $0.fate != .arrived }
  }

  /// Whether something holds the shaft, so that its angle has a meaning.
  var hasShaft: Bool { !pulses.isEmpty || shaftFollowsCommands && !commanded.isEmpty }

  /// Whether the trace expected something that looks different from the device's output.
  var showsExpected: Bool {
    if expected.isEmpty { return false }
    // Thinned samples cannot be compared by index.
    if isThinned { return divergence != nil }
    // A shift of less than a pixel is not visible, even if it moves a sample past the edge.
    let visible = Interval(nanoseconds: (end - start).nanoseconds / 800)
    let (trace, device) = (settled(expected, visible), settled(commanded, visible))
    guard trace.count == device.count else { return true }
    return zip(trace, device).contains { trace, device in
      trace.value != device.value || (trace.time - device.time).magnitude > visible
    }
  }

  /// Returns the samples without those that hold for less than `visible` at an edge.
  private func settled(_ samples: [Sample], _ visible: Interval) -> ArraySlice<Sample> {
    var settled = samples[...]
    if start > .zero, settled.count > 1, settled[settled.startIndex + 1].time - start <= visible {
      settled.removeFirst()
    }
    if let last = settled.last, settled.count > 1, end - last.time <= visible {
      settled.removeLast()
    }
    return settled
  }
}

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

/// A row of levels in a session's picture: what the sketch puts on a pin, or what outputs of a kind
/// switch on and off.
package struct PlottedLevel: Hashable, Sendable {
  /// The maximum number in a picture: as many as there is room for.
  static let countMax = 8

  /// The row's label: for example `D7`, or `led`.
  package var name: String
  /// 1 or 0 from each sample on. The level before the first one is unknown.
  package var samples: [PlottedSession.Sample]

  package init(_ name: String, _ samples: [PlottedSession.Sample]) {
    self.name = name
    self.samples = samples
  }
}

/// A servo other than the session's own, in a session's picture.
package struct PlottedServo: Hashable, Sendable {
  /// The number of colours. From there on, dashes tell the lines apart.
  static let colorCount = 4
  /// The maximum number in a picture: as many as can be told apart by their colours and dashes.
  static let countMax = 20

  /// The servo's pin.
  package var pin: BoardPin
  /// Its name in the picture.
  package var label: String
  /// The commanded angle in degrees from each sample on.
  package var commanded: [PlottedSession.Sample]
  /// The shaft's angle in degrees, connected by straight lines; empty if it had no pulses.
  package var shaft: [PlottedSession.Sample]

  package init(
    _ pin: BoardPin, commanded: [PlottedSession.Sample], shaft: [PlottedSession.Sample] = []
  ) {
    self.pin = pin
    label = pin.name
    self.commanded = commanded
    self.shaft = shaft
  }
}
