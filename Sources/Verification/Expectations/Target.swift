import Traces
package import Turret

/// An output that a rule waits for.
package enum Target: Hashable, Sendable {
  /// A commanded angle, in whole degrees. `name` is the servo's name or pin; nil for the device's
  /// own.
  case servo(ClosedRange<Int>, name: String?)
  /// The angle of the modelled shaft, in degrees.
  case shaft(ClosedRange<Double>)
  /// The width of a pulse on the servo's pin, in microseconds.
  case pulse(ClosedRange<Double>)
  /// A line from the board, without its CR and LF.
  case transmit(TextPattern)
  /// A tone of this many hertz, within 1 %.
  case tone(Double)

  /// The servo that it names, for messages: `servo` or `servo D10`.
  var servo: String {
    if case .servo(_, let name?) = self { "servo \(name)" } else { "servo" }
  }

  /// The kind of output that shows it.
  package var kind: Output.Kind {
    switch self {
    case .servo: .servo
    case .shaft, .pulse: .pulse
    case .transmit: .transmit
    case .tone: .tone
    }
  }

  /// How far a pulse can be from the width of a rule that states no error, in microseconds.
  package static let pulseError = 3.0
  /// How far a tone can be from a rule's, as a fraction.
  package static let toneError = 0.01
}

extension Target: CustomStringConvertible {
  /// The word for it in a rule.
  package var name: String {
    switch self {
    case .servo: "servo"
    case .shaft: "shaft"
    case .pulse: "pulse"
    case .transmit: "tx"
    case .tone: "tone"
    }
  }

  package var description: String {
    switch self {
    case .servo(let degrees, _): "\(servo) \(Self.text(degrees))"
    case .shaft(let degrees): "shaft \(Self.text(degrees)) degrees"
    case .pulse(let widths): "pulse \(Self.text(widths)) us"
    case .transmit(let pattern): "tx \(pattern)"
    case .tone(let hertz): "tone \(String(shortest: hertz))"
    }
  }

  private static func text(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
  }

  /// The middle and the error, as they are stated in a rule.
  private static func text(_ range: ClosedRange<Double>) -> String {
    let error = (range.upperBound - range.lowerBound) / 2
    let middle = String(shortest: range.lowerBound + error)
    return error == 0 ? middle : "\(middle) ± \(String(shortest: error))"
  }
}
