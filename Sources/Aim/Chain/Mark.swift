/// Something to draw.
public struct Mark: Hashable, Sendable {
  /// As it was seen.
  public var observation: Observation
  /// Where in the view: points, origin at the upper left, y down. May lie partly or wholly outside
  /// of a view that the picture fills.
  public var box: Box

  public init(_ observation: Observation, box: Box) {
    self.observation = observation
    self.box = box
  }
}
