/// An object that a detector saw in a frame. All coordinates are normalized to 0...1 with the
/// origin at the lower left, in the picture that the detector saw: upright, and cropped if the
/// camera crops.
public struct Observation: Hashable, Sendable {
  public var kind: Kind
  /// Its position; nil for a class, which describes the whole picture.
  public var box: Box?
  /// The detector's confidence, 0...1.
  public var confidence: Double
  /// What it is, for an object or a class.
  public var label: String?
  /// The corners of a rectangle: top left, top right, bottom right, bottom left; otherwise empty.
  public var corners: [Point]
  /// The outlines of a face by name (`leftEye`, ...), normalized within its box.
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

extension Observation {
  /// The kind of detector. The raw values are those of the observation format.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case face, rectangle, object
    /// A label for the whole picture, without a box.
    case `class`
  }
}

/// Everything that was seen in one frame.
public struct Frame: Hashable, Sendable {
  /// Seconds since the beginning. Only following a target and firing depend on it.
  public var time: Double
  /// The observations, in any order: no result depends on it.
  public var found: [Observation]

  public init(time: Double, found: [Observation]) {
    self.time = time
    self.found = found
  }
}
