/// Two strips that belong together. Coordinates are normalized like those of the rectangles.
public struct StripPair: Hashable, Sendable {
  public let left: Observation
  public let right: Observation
  /// The smallest box that contains both.
  public let box: Box
  /// The point above them at which their lines meet.
  public let meeting: Point

  /// The share of the frame's area that `box` takes up, 0...1.
  public var share: Double { box.area }

  /// The pair as one target: its box, with the confidence of the less confident strip.
  public var observation: Observation {
    Observation(
      .rectangle, box: box, confidence: min(left.confidence, right.confidence), label: left.label)
  }
}
