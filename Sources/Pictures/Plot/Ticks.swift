package import Turret

/// Round positions on a time axis from 0: steps of 1, 2 or 5 times a power of ten, in a suitable
/// unit.
package struct Ticks: Hashable, Sendable {
  package let unit: String
  /// The unit in seconds.
  package let secondsPerUnit: Double
  /// The distance between ticks, in units.
  package let step: Double
  /// The ticks in units, from 0 to the end.
  package let values: [Double]

  /// Divides the time until `end` into at most `count` steps.
  package init(to end: Instant, count: Int = 10) {
    let seconds = end.seconds
    (unit, secondsPerUnit) =
      switch seconds {
      case ..<0.001: ("µs", 1e-6)
      case ..<1: ("ms", 1e-3)
      case ..<600: ("s", 1)
      case ..<14_400: ("min", 60)
      default: ("h", 3_600)
      }
    guard end > .zero else {
      step = 1
      values = [0]
      return
    }
    let length = max(seconds / secondsPerUnit, 1e-3)
    var power = 1e-4
    while power * 10 * Double(count) < length { power *= 10 }
    let round = [1, 2, 5].map { $0 * power }
    let step = round.first { $0 * Double(count) >= length } ?? power * 10
    self.step = step
    // Include a tick that rounding has moved past the end.
    values = (0...Int(length / step + 1e-9)).map { Double($0) * step }
  }

  /// The label of a tick.
  package func label(_ value: Double) -> String { XMLText.number(value, places: 4) }
}
