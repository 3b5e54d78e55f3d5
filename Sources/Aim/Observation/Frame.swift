/// All that was seen in one frame.
public struct Frame: Hashable, Sendable {
  /// Seconds since the beginning. Nothing here decides by it: who reads or sends keeps the time.
  public var time: Double
  /// In any order: nothing depends on it.
  public var found: [Observation]

  public init(time: Double, found: [Observation]) {
    self.time = time
    self.found = found
  }
}
