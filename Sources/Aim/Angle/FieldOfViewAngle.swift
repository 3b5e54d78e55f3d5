/// The true angle of a position in the picture of a pinhole camera, from its field of view.
///
/// The middle is 90 degrees; positions to the right (or below) have greater angles, positions to
/// the left (or above) smaller ones, as with `LinearAngle`. Mirroring reverses this: `180 -
/// degrees`.
public struct FieldOfViewAngle: Hashable, Sendable {
  public static let range = 0...180

  /// Degrees from edge to edge along this axis, above 0 and below 180.
  public let fov: Double
  public let mirrored: Bool
  /// The tangent of half the field of view.
  private let tangent: Double

  public init(fov: Double, mirrored: Bool = false) {
    self.fov = fov
    self.mirrored = mirrored
    tangent = fov > 0 && fov < 180 ? Trigonometry.tangent(ofDegrees: fov / 2) : .nan
  }

  /// The same camera's other axis. `aspect` is the other length divided by this one, in pixels.
  public func acrossAxis(aspect: Double) -> FieldOfViewAngle {
    FieldOfViewAngle(
      fov: 2 * Trigonometry.degrees(ofArctangent: tangent * aspect), mirrored: mirrored)
  }

  /// Degrees from the middle, positive to the right (or down), for a position 0...1 from the left
  /// (or upper) edge of the picture. Nil for NaN, infinity or an invalid field of view. Ignores
  /// `mirrored`.
  public func offCentre(at place: Double) -> Double? {
    guard place.isFinite, tangent.isFinite else { return nil }
    return Trigonometry.degrees(ofArctangent: (place - 0.5) * 2 * tangent)
  }

  /// Whole degrees, rounded to nearest (halves up) and clamped to 0...180; nil as in `offCentre`.
  public func degrees(at place: Double) -> Int? {
    guard let off = offCentre(at: place) else { return nil }
    let rounded = Int(min(max((90 + off).rounded(), 0), 180))
    return mirrored ? 180 - rounded : rounded
  }
}
