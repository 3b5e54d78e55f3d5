package import Turret

/// The two forms of the robot vision phone's answers.
package enum VisionForm: String, Hashable, Sendable, CaseIterable {
  /// `timestamp|angle^15.2|distance^4.3`
  case fields
  /// The same as a JSON object.
  case json

  /// A reading in this form, without a line end. Without a target, there is no value after
  /// `angle^`, or it is `null`.
  package func text(_ reading: VisionReading) -> String {
    let angle = reading.angle.map(Self.decimal)
    let distance = reading.distance.map(Self.decimal)
    return switch self {
    case .fields: "\(reading.timestamp)|angle^\(angle ?? "")|distance^\(distance ?? "")"
    case .json:
      "{\"timestamp\": \"\(reading.timestamp)\", \"angle\": \(angle ?? "null"), "
        + "\"distance\": \(distance ?? "null")}"
    }
  }

  /// `12:00:01.250`: hours, minutes, seconds and milliseconds since `time` was zero.
  package static func timestamp(_ time: Interval) -> String {
    let milliseconds = max(0, time.nanoseconds / 1_000_000)
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let seconds = milliseconds / 1_000
    return "\(digits(seconds / 3_600, 2)):\(digits(seconds / 60 % 60, 2)):"
      + "\(digits(seconds % 60, 2)).\(digits(milliseconds % 1_000, 3))"
  }

  /// Rounded to thousandths, with at least one decimal place and no exponent.
  private static func decimal(_ value: Double) -> String {
    let thousandths = Int64((max(-1e9, min(1e9, value)) * 1_000).rounded())
    let magnitude = thousandths.magnitude
    var places = String(1_000 + magnitude % 1_000).dropFirst()
    while places.count > 1, places.last == "0" { places.removeLast() }
    return "\(thousandths < 0 ? "-" : "")\(magnitude / 1_000).\(places)"
  }
}
