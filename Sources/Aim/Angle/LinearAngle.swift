/// The angle as the face-tracking app computes it: linear in the position within the view, 40 at
/// the left (or upper) edge, 90 in the middle, 140 at the right (or lower) edge, truncated to whole
/// degrees.
///
/// It is `trunc(x * (140 - 40) / length + 40)` with exactly this order of arithmetic. Mirrored, it
/// is `|degrees - 180|` after the truncation, as in the app's prototype. Positions outside the
/// view, which occur if the picture is larger than the view, are clamped to 40...140.
public struct LinearAngle: Hashable, Sendable {
  public static let range = 40...140

  /// The view's width (for x) or height (for y), points.
  public var length: Double
  public var mirrored: Bool

  public init(length: Double, mirrored: Bool = false) {
    self.length = length
    self.mirrored = mirrored
  }

  /// The angle in degrees for a position in points from the left (or upper) edge. Nil for NaN,
  /// infinity or a length that is not positive.
  public func degrees(at place: Double) -> Int? {
    guard place.isFinite, length.isFinite, length > 0 else { return nil }
    let exact = place * (140 - 40) / length + 40
    // Clamp before the conversion, since not every floating-point number fits an integer.
    let cut = Int(min(max(exact, 40), 140))
    return mirrored ? abs(cut - 180) : cut
  }
}
