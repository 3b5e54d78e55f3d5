/// Maps a box in the detector's picture to the view and to angles, for one camera and its options.
///
/// In a mirrored picture left is right in the world. The view shows the picture as it is, but
/// angles are computed for the unmirrored picture, so the same object has the same angle either
/// way.
public struct Sights: Hashable, Sendable {
  private let camera: Camera
  private let mapping: Mapping
  private let toView: ViewMapping
  private let linearX: LinearAngle
  private let linearY: LinearAngle
  /// Whether the view is the whole picture, scaled, as in the app. The app scales the box and then
  /// takes its centre; doing the same yields the same last bit.
  private let isPlain: Bool
  private let trueX: FieldOfViewAngle?
  private let trueY: FieldOfViewAngle?

  public init(camera: Camera, options: AimOptions) throws(AimError) {
    let view = options.view ?? camera.view ?? camera.upright
    guard camera.image.isUsable else { throw .badSize("image") }
    guard view.isUsable else { throw .badSize("view") }
    if let fov = camera.fov, !(fov > 0 && fov < 180) { throw .badFieldOfView(fov) }
    if options.mapping == .fov, camera.fov == nil { throw .noFieldOfView }
    if options.follow != nil, camera.fov == nil { throw .noFieldOfViewToFollow }
    self.camera = camera
    mapping = options.mapping
    isPlain = !camera.mirrored && camera.crop == .none && options.gravity == .resize
    let upright = camera.upright
    toView = ViewMapping(options.gravity, picture: upright, view: view)
    linearX = LinearAngle(length: view.width, mirrored: options.mirror)
    linearY = LinearAngle(length: view.height, mirrored: options.mirrorTilt)
    trueX = camera.fov.map { FieldOfViewAngle(fov: $0, mirrored: options.mirror) }
    trueY = camera.fov.map {
      FieldOfViewAngle(fov: $0, mirrored: options.mirrorTilt).acrossAxis(
        aspect: upright.height / upright.width)
    }
  }

  /// The position of a box in the view: points, y down.
  public func inView(_ box: Box) -> Box { toView.apply(camera.inUpright(box)) }

  /// The angles of a box's centre; nil for numbers that are not finite.
  public func angles(to box: Box) -> Angles? {
    let x: Int?
    let y: Int?
    switch mapping {
    case .linear:
      let centre = isPlain ? toView.apply(box).centre : toView.apply(inWorld(box.centre))
      x = linearX.degrees(at: centre.x)
      y = linearY.degrees(at: centre.y)
    case .fov:
      let centre = inWorld(box.centre)
      x = trueX?.degrees(at: centre.x)
      y = trueY?.degrees(at: 1 - centre.y)
    }
    guard let x, let y else { return nil }
    return Angles(x: x, y: y)
  }

  /// Degrees from the camera's axis to a box's centre, positive to the right in the world.
  public func offCentre(_ box: Box) -> Double? { trueX?.offCentre(at: inWorld(box.centre).x) }

  /// Degrees from the camera's axis down to a box's centre, negative if it is above.
  func belowCentre(_ box: Box) -> Double? { trueY?.offCentre(at: 1 - inWorld(box.centre).y) }

  /// Maps to the whole upright picture, not mirrored.
  private func inWorld(_ point: Point) -> Point {
    let upright = camera.inUpright(point)
    return camera.mirrored ? Point(1 - upright.x, upright.y) : upright
  }
}

/// How a position is converted to an angle.
public enum Mapping: String, Hashable, Sendable, CaseIterable {
  /// `LinearAngle`, in the view.
  case linear
  /// `FieldOfViewAngle`, in the upright picture.
  case fov
}

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
    let cut = Int(clamp(exact, to: Self.range))
    return mirrored ? abs(cut - 180) : cut
  }
}

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

  /// More than the error of an angle, in degrees, and less than any camera can tell.
  private static let angleError = 0x1p-30

  /// Whole degrees, rounded to nearest (halves up) and clamped to 0...180; nil as in `offCentre`.
  public func degrees(at place: Double) -> Int? {
    guard let off = offCentre(at: place) else { return nil }
    // The edge of a picture can be exactly at half a degree, for which `off` can be a little less.
    let rounded = Int(clamp((90 + off + Self.angleError).rounded(), to: Self.range))
    return mirrored ? 180 - rounded : rounded
  }
}

private func clamp(_ degrees: Double, to range: ClosedRange<Int>) -> Double {
  min(max(degrees, Double(range.lowerBound)), Double(range.upperBound))
}
