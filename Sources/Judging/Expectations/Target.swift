package import Sketches
import Traces

/// An output that a rule waits for.
package enum Target: Hashable, Sendable {
  /// A commanded angle, in whole degrees. `name` is the servo's name or pin; nil for the device's
  /// own.
  case servo(ClosedRange<Int>, name: String? = nil)
  /// The angle of a servo's modelled shaft, in degrees.
  case shaft(ClosedRange<Double>, name: String? = nil)
  /// The width of a pulse on a servo's pin, in microseconds.
  case pulse(ClosedRange<Double>, name: String? = nil)
  /// A line from the board, without its CR and LF.
  case transmit(TextPattern)
  /// A tone of this many hertz, within 1 %.
  case tone(Double)
  /// Pulses begin on a servo's pin. `name` is the servo's name or pin.
  case attached(name: String)
  /// The pulses on a servo's pin stop.
  case detached(name: String)
  /// The level on a pin, a pulse there, or the duty cycle.
  case pin(PinTarget)

  /// The name of the output's servo; nil for the device's own, and for any other output.
  package var servoName: String? {
    switch self {
    case .servo(_, let name), .shaft(_, let name), .pulse(_, let name): name
    case .attached(let name), .detached(let name): name
    case .transmit, .tone, .pin: nil
    }
  }

  /// The pin whose level is required, by its name; nil for any other output.
  package var pinName: String? {
    if case .pin(let pin) = self { pin.name } else { nil }
  }

  /// The output's word and the servo that it names, for messages: `servo`, `shaft D10`.
  var subject: String { Self.subject(name, servoName) }

  /// Returns a word with the name of a servo: `servo`, `angles D10`.
  static func subject(_ word: String, _ servo: String?) -> String {
    servo.map { "\(word) \($0)" } ?? word
  }

  /// The kind of event that shows the output.
  package var kind: Output.Kind {
    switch self {
    case .servo: .servo
    case .shaft, .pulse: .pulse
    case .transmit: .transmit
    case .tone: .tone
    case .attached: .attached
    case .detached: .detached
    case .pin: .pin
    }
  }

  /// How far a pulse can be from a rule's width if the rule states no error, in microseconds.
  package static let pulseError = 3.0
  /// How far a tone can be from a rule's, as a fraction.
  package static let toneError = 0.01
}

extension Target: CustomStringConvertible {
  /// The output's word in a rule.
  package var name: String {
    if case .shaft = self { "shaft" } else { kind.name }
  }

  package var description: String {
    switch self {
    case .servo(let degrees, _): "\(subject) \(Self.text(degrees))"
    case .shaft(let degrees, _): "\(subject) \(Self.text(degrees)) degrees"
    case .pulse(let widths, _): "\(subject) \(Self.text(widths)) us"
    case .transmit(let pattern): "tx \(pattern)"
    case .tone(let hertz): "tone \(String(shortest: hertz))"
    case .attached, .detached: subject
    case .pin(let pin): pin.description
    }
  }

  private static func text(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
  }

  /// Returns the middle and the error, as they are stated in a rule.
  private static func text(_ range: ClosedRange<Double>) -> String {
    let error = (range.upperBound - range.lowerBound) / 2
    let middle = String(shortest: range.lowerBound + error)
    return error == 0 ? middle : "\(middle) ± \(String(shortest: error))"
  }
}

/// What a rule requires of the level on a pin.
package struct PinTarget: Hashable, Sendable {
  package enum Condition: Hashable, Sendable {
    /// The pin changes to this level, or has it all the time.
    case level(isHigh: Bool)
    /// The pin changes to this level and back, after a time that the limits allow.
    case pulse(isHigh: Bool, Limits<Interval>)
    /// The pin is high for this part of a cycle, in percent. A cycle lasts from one rising edge to
    /// the next.
    case duty(Limits<Double>)
  }

  /// A range that can be open at either end.
  package struct Limits<Value: Comparable & Hashable & Sendable>: Hashable, Sendable {
    package var least: Value?
    package var most: Value?

    package init(least: Value? = nil, most: Value? = nil) {
      self.least = least
      self.most = most
    }

    func allow(_ value: Value) -> Bool {
      if let least, value < least { return false }
      if let most, value > most { return false }
      return true
    }

    /// The limits as they are stated in a rule, after a space; empty if there are none.
    func text(_ write: (Value) -> String) -> String {
      let parts = [least.map { "at least \(write($0))" }, most.map { "at most \(write($0))" }]
      let stated = parts.compactMap { $0 }
      return stated.isEmpty ? "" : " " + stated.joined(separator: ", ")
    }
  }

  /// The pin, or its name in the profile.
  package var name: String
  package var condition: Condition

  package init(_ name: String, _ condition: Condition) {
    self.name = name
    self.condition = condition
  }

  /// Whether the condition is about one instant, and not about a pulse or a cycle.
  package var isLevel: Bool {
    if case .level = condition { true } else { false }
  }
}

extension PinTarget: CustomStringConvertible {
  package var description: String {
    switch condition {
    case .level(let isHigh): "pin \(name) \(isHigh ? 1 : 0)"
    case .pulse(let isHigh, let limits):
      "pin \(name) \(isHigh ? "pulse" : "low pulse")" + limits.text { String(readable: $0) }
    case .duty(let limits): "pin \(name) duty" + limits.text(Self.percent)
    }
  }

  /// A part of a cycle, with at most one decimal place.
  static func percent(_ value: Double) -> String {
    String(shortest: (value * 10).rounded() / 10) + " %"
  }
}
