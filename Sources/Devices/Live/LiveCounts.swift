package import Sketches
package import Traces

/// Counts of what has happened in a live session so far.
package struct LiveCounts: Hashable, Sendable {
  /// Bytes from senders.
  package private(set) var received = 0
  /// Bytes that never reached the sketch, by cause.
  package private(set) var lost: [Output.Loss: Int] = [:]
  /// Bytes from the board.
  package private(set) var transmitted = 0
  package private(set) var servoEvents = 0
  /// The last commanded angle in degrees and its pulse in microseconds; nil before the first.
  package private(set) var degrees: UInt8?
  package private(set) var microseconds: UInt16?
  /// The other servos, in order of their pins.
  package private(set) var others: [LiveServo] = []
  /// The present tone in hertz; nil if there is none.
  package private(set) var tone: Double?
  /// The pins whose levels are shown, in their order.
  package private(set) var pins: [LivePin] = []
  /// What is applied to the board's pins and parts at present, in the order in which each was first
  /// set.
  package private(set) var inputs: [BoardInput] = []

  package init() {}

  /// Adds bytes from the board that did not become events.
  package mutating func addTransmitted(_ count: Int) { transmitted += count }

  package mutating func add(_ event: Event) {
    switch event.kind {
    case .receive(let bytes): received += bytes.count
    case .output(.servo(let degrees, let microseconds, nil)):
      servoEvents += 1
      self.degrees = degrees
      self.microseconds = microseconds
    case .output(.servo(let degrees, let microseconds, let pin?)):
      servoEvents += 1
      others.removeAll { $0.pin == pin }
      others.append(LiveServo(pin: pin, degrees: degrees, microseconds: microseconds))
      others.sort { $0.pin < $1.pin }
    case .output(.tone(let hertz)): tone = hertz > 0 ? hertz : nil
    case .output(.transmit): transmitted += 1
    case .output(.lost(_, let why)): lost[why, default: 0] += 1
    case .output(.pin(let pin, let isHigh)):
      let index = pins.firstIndex { $0.pin >= pin } ?? pins.count
      if index == pins.count || pins[index].pin != pin {
        pins.insert(LivePin(pin: pin, isHigh: isHigh), at: index)
      }
      pins[index].isHigh = isHigh
      pins[index].changes += 1
    case .input(let input):
      if let index = inputs.firstIndex(where: { $0.target == input.target }) {
        inputs[index] = input
      } else {
        inputs.append(input)
      }
    default: break
    }
  }
}

/// The last command of a servo other than the session's own.
package struct LiveServo: Hashable, Sendable {
  package let pin: BoardPin
  /// The commanded angle in degrees, and its pulse in microseconds.
  package let degrees: UInt8
  package let microseconds: UInt16
}

/// The present level of a pin that is shown.
package struct LivePin: Hashable, Sendable {
  package let pin: BoardPin
  package internal(set) var isHigh: Bool
  /// How often it has been reported, so that a pulse between two looks is seen.
  package internal(set) var changes = 0

  package init(pin: BoardPin, isHigh: Bool, changes: Int = 0) {
    self.pin = pin
    self.isHigh = isHigh
    self.changes = changes
  }
}
