package import Turret

/// Round places on a time axis from 0: steps of 1, 2 or 5 times a power of ten, in a fitting unit.
package struct Ticks: Hashable, Sendable {
  package let unit: String
  /// How many seconds the unit has.
  package let secondsPerUnit: Double
  /// From one tick to the next, in units.
  package let step: Double
  /// In units, from 0 to the end.
  package let values: [Double]

  /// At most `count` steps up to `end`.
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
    // A tick that rounding has pushed past the end is still meant.
    values = (0...Int(length / step + 1e-9)).map { Double($0) * step }
  }

  /// A tick as text.
  package func label(_ value: Double) -> String { XMLText.number(value, places: 4) }
}
