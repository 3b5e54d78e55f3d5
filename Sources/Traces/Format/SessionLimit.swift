package import Sketches

/// The longest session that a command runs step by step unless the user allows more. Without a
/// limit, a wrong time would keep the command running, and writing, indefinitely.
package struct SessionLimit: Hashable, Sendable {
  package static let usual = Interval.seconds(86_400)

  package var longest: Interval
  /// How to allow a longer session; the end of the message.
  package var remedy: String

  package init(longest: Interval = usual, remedy: String = "--allow-long accepts it") {
    self.longest = longest
    self.remedy = remedy
  }

  func refusal(of length: Interval) -> String {
    let days = length.nanoseconds / Self.usual.nanoseconds
    let found = days > 1 ? " (\(days) days)" : ""
    var line: [UInt8] = []
    line.appendLine(Event(.zero + length, .output(.servo(degrees: 100, microseconds: 1_500))))
    let events = length.nanoseconds / ClassicSketch.measuredTiming.step.nanoseconds
    let bytes = events * Int64(line.count)
    return "expected a session of at most \(String(shortest: longest)) s, "
      + "found \(String(shortest: length)) s\(found): "
      + "a sweep of that length is about \(Self.rounded(events)) events, "
      + "\(Self.rounded(bytes, units: ["bytes", "kB", "MB", "GB", "TB"])) of trace; \(remedy)"
  }

  /// Returns a number rounded to two or three digits: `66 billion`.
  private static func rounded(
    _ number: Int64, units: [String] = ["", "thousand", "million", "billion"]
  ) -> String {
    var rest = number
    var unit = 0
    var tenths: Int64 = 0
    while rest >= 1_000, unit + 1 < units.count {
      tenths = rest % 1_000 / 100
      rest /= 1_000
      unit += 1
    }
    let figure = rest < 10 && unit > 0 ? "\(rest).\(tenths)" : "\(rest)"
    return units[unit].isEmpty ? figure : "\(figure) \(units[unit])"
  }
}
