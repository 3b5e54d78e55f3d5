/// One thing that a detector saw in a frame. All coordinates are normalized 0...1 with the origin
/// at the lower left, in the picture as the detector saw it: turned upright and, if so, cropped.
public struct Observation: Hashable, Sendable {
  public var kind: Kind
  /// Where it is; nil for a class, which speaks of the picture as a whole.
  public var box: Box?
  /// How sure the detector is, 0...1.
  public var confidence: Double
  /// What it is, for objects and classes.
  public var label: String?
  /// A rectangle's four, top left, top right, bottom right, bottom left; else empty.
  public var corners: [Point]
  /// A face's outlines by name (`leftEye`, ...), normalized within its box.
  public var landmarks: [String: [Point]]

  public init(
    _ kind: Kind, box: Box?, confidence: Double = 1, label: String? = nil, corners: [Point] = [],
    landmarks: [String: [Point]] = [:]
  ) {
    self.kind = kind
    self.box = box
    self.confidence = confidence
    self.label = label
    self.corners = corners
    self.landmarks = landmarks
  }
}
