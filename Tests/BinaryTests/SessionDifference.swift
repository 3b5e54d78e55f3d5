import Turret

/// The first point in which the binary's session is not the model's.
struct SessionDifference: CustomStringConvertible {
  let time: Instant
  let description: String

  /// How far apart the two may be in time.
  static let tolerance = Interval.microseconds(100)

  init(_ time: Instant, _ text: String) {
    self.time = time
    description = text
  }
}
