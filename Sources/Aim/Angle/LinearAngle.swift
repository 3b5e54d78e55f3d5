/// The face-tracking app's angle: linear in the place within the view, 40 at the left (or upper)
/// edge, 90 in the middle, 140 at the right (or lower) one, cut to whole degrees.
///
/// It is `trunc(x * (140 - 40) / length + 40)` with exactly this order of arithmetic, and mirrored,
/// as in its prototype, `|degrees - 180|` after the truncation. What lies outside of the view, as a
/// picture that fills it may, gets the nearer end: never outside 40...140.
public struct LinearAngle: Hashable, Sendable {
  public static let range = 40...140

  /// The view's width (for x) or height (for y), points.
  public var length: Double
  public var mirrored: Bool

  public init(length: Double, mirrored: Bool = false) {
    self.length = length
    self.mirrored = mirrored
  }

  /// Degrees for a place in points from the left (or upper) edge; nil for NaN, infinities, and a
  /// length that is not above zero.
  public func degrees(at place: Double) -> Int? {
    guard place.isFinite, length.isFinite, length > 0 else { return nil }
    let exact = place * (140 - 40) / length + 40
    // Clamped before it becomes an integer, which not every floating-point number can.
    let cut = Int(min(max(exact, 40), 140))
    return mirrored ? abs(cut - 180) : cut
  }
}
