/// Everything that was seen in one frame.
public struct Frame: Hashable, Sendable {
  /// Seconds since the beginning. Nothing in this module depends on it.
  public var time: Double
  /// The observations, in any order: no result depends on it.
  public var found: [Observation]

  public init(time: Double, found: [Observation]) {
    self.time = time
    self.found = found
  }
}
