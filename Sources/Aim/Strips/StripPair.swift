/// Two strips that belong together. Coordinates are normalized as the rectangles' are.
public struct StripPair: Hashable, Sendable {
  public let left: Observation
  public let right: Observation
  /// The least box around both.
  public let box: Box
  /// Where their lines meet, above them.
  public let meeting: Point

  /// The share of the frame's area that the box around both takes, 0...1.
  public var share: Double { box.area }

  /// The pair as one thing to aim at: the box around both, the confidence of the less sure.
  public var observation: Observation {
    Observation(
      .rectangle, box: box, confidence: min(left.confidence, right.confidence), label: left.label)
  }
}
