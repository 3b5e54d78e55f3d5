package import Sketches

/// Round positions on a time axis: steps of 1, 2 or 5 times a power of ten, in a suitable unit.
package struct Ticks: Hashable, Sendable {
  package let unit: String
  /// The unit in seconds.
  package let secondsPerUnit: Double
  /// The distance between ticks, in units.
  package let step: Double
  /// The ticks in units, from the start to the end.
  package let values: [Double]

  /// Divides the time from `start` to `end` into at most `count` steps.
  package init(from start: Instant = .zero, to end: Instant, count: Int = 10) {
    let seconds = (end - start).seconds
    // Short units suit small times only, and long ones long periods.
    (unit, secondsPerUnit) =
      switch seconds {
      case _ where end.seconds < 0.001: ("µs", 1e-6)
      case _ where end.seconds < 1: ("ms", 1e-3)
      case ..<600: ("s", 1)
      case ..<14_400: ("min", 60)
      default: ("h", 3_600)
      }
    guard end > start else {
      step = 1
      values = [start.seconds / secondsPerUnit]
      return
    }
    let length = seconds / secondsPerUnit
    var power = 1e-10
    while power * 10 * Double(count) < length { power *= 10 }
    let round = [1, 2, 5].map { $0 * power }
    let step = round.first { $0 * Double(count) >= length } ?? power * 10
    self.step = step
    // Include a tick that rounding has moved past the end.
    let first = (start.seconds / secondsPerUnit / step - 1e-9).rounded(.up)
    let last = (end.seconds / secondsPerUnit / step + 1e-9).rounded(.down)
    values = Array(stride(from: first, through: last, by: 1)).map { $0 * step }
  }

  /// The label of a tick, with as many places as the step has.
  package func label(_ value: Double) -> String {
    var places = 0
    var digits = step
    while digits < 0.999, places < 10 {
      digits *= 10
      places += 1
    }
    return XMLText.number(value, places: places)
  }
}
