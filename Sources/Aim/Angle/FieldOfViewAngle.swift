/// The true angle of a place in the picture of a pinhole camera, from the camera's field of view.
///
/// Sign: the middle is 90 degrees, what is further right (or down) in the picture more, further
/// left (or up) less, as with `LinearAngle`. Mirrored it is the other way round, `180 - degrees`.
public struct FieldOfViewAngle: Hashable, Sendable {
  public static let range = 0...180

  /// Degrees from edge to edge along this axis, above 0 and below 180.
  public let fov: Double
  public let mirrored: Bool
  /// Of half of the field of view.
  private let tangent: Double

  public init(fov: Double, mirrored: Bool = false) {
    self.fov = fov
    self.mirrored = mirrored
    tangent = fov > 0 && fov < 180 ? Trigonometry.tangent(ofDegrees: fov / 2) : .nan
  }

  /// The same camera's other axis: `aspect` is the other length over this one, in pixels.
  public func acrossAxis(aspect: Double) -> FieldOfViewAngle {
    FieldOfViewAngle(
      fov: 2 * Trigonometry.degrees(ofArctangent: tangent * aspect), mirrored: mirrored)
  }

  /// Degrees off the middle, positive to the right (or down), for a place 0...1 from the left (or
  /// upper) edge of the picture; nil for NaN, infinities and a field of view out of its range.
  /// It is not mirrored.
  public func offCentre(at place: Double) -> Double? {
    guard place.isFinite, tangent.isFinite else { return nil }
    return Trigonometry.degrees(ofArctangent: (place - 0.5) * 2 * tangent)
  }

  /// Whole degrees, rounded to the nearest (halves up), clamped to 0...180; nil as above.
  public func degrees(at place: Double) -> Int? {
    guard let off = offCentre(at: place) else { return nil }
    let rounded = Int(min(max((90 + off).rounded(), 0), 180))
    return mirrored ? 180 - rounded : rounded
  }
}
