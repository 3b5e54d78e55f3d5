import Sketches

/// The first difference between the binary's session and the model's.
struct SessionDifference: CustomStringConvertible {
  let time: Instant
  let description: String

  /// The allowed distance in time.
  static let tolerance = Interval.microseconds(100)

  init(_ time: Instant, _ text: String) {
    self.time = time
    description = text
  }
}
