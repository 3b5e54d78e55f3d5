/// An observation to draw in the view.
public struct Mark: Hashable, Sendable {
  public var observation: Observation
  /// The position in the view: points, origin at the upper left, y down. Can be partly or wholly
  /// outside if the picture is larger than the view.
  public var box: Box

  public init(_ observation: Observation, box: Box) {
    self.observation = observation
    self.box = box
  }
}
