import Turret

/// A commanded angle: a change, or an aim at the angle that is already commanded.
struct ServoWrite: Hashable, Sendable {
  var time: Instant
  var degrees: Int
  /// In microseconds.
  var pulse: Int
  /// Whether it is a step of a sweep.
  var isStep: Bool

  /// Whether it aims at an angle in the range.
  func isIn(_ range: ClosedRange<Int>) -> Bool { !isStep && range.contains(degrees) }
}
