/// The properties of a camera, the same for all of its frames: the header of the observation
/// format.
public struct Camera: Hashable, Sendable {
  /// The size of the sensor's buffer, in pixels.
  public var image: Size
  /// The turn that makes the buffer upright. Boxes refer to the upright picture.
  public var orientation: Turning
  /// The picture is a mirror image (front camera): left in it is right in the world.
  public var mirrored: Bool
  /// The size of the app's view in points; nil for the size of the upright picture.
  public var view: Size?
  /// The part of the upright picture that the detector saw. Boxes are normalized to it.
  public var crop: Crop
  /// The horizontal field of view of the upright, uncropped picture, in degrees, above 0 and below
  /// 180.
  public var fov: Double?

  public init(
    image: Size, orientation: Turning = .up, mirrored: Bool = false, view: Size? = nil,
    crop: Crop = .none, fov: Double? = nil
  ) {
    self.image = image
    self.orientation = orientation
    self.mirrored = mirrored
    self.view = view
    self.crop = crop
    self.fov = fov
  }

  /// The size of the upright picture, in pixels.
  public var upright: Size { orientation.apply(image) }

  /// The size of the part that the detector saw, in pixels.
  public var seen: Size {
    switch crop {
    case .none: return upright
    case .square:
      let side = min(upright.width, upright.height)
      return Size(side, side)
    }
  }

  /// Maps a point in the part that the detector saw to the whole upright picture.
  public func inUpright(_ point: Point) -> Point {
    crop == .square ? Scaling.square(of: upright).apply(point) : point
  }

  /// Maps a box in the part that the detector saw to the whole upright picture.
  public func inUpright(_ box: Box) -> Box {
    crop == .square ? Scaling.square(of: upright).apply(box) : box
  }
}

/// The part of the upright picture that a detector sees.
public enum Crop: String, Hashable, Sendable, CaseIterable {
  /// All of it.
  case none
  /// The largest square at its centre.
  case square
}
