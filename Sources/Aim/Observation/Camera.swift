/// What holds for all frames of a camera: the header of the observation format.
public struct Camera: Hashable, Sendable {
  /// The buffer as the sensor delivers it, pixels.
  public var image: Size
  /// How the buffer must be turned to be upright. Boxes are given after turning.
  public var orientation: Turning
  /// The picture is a mirror image (front camera): left in it is right in the world.
  public var mirrored: Bool
  /// The view that the app shows it in, points; nil is the upright picture's size.
  public var view: Size?
  /// What of the upright picture the detector saw; boxes are normalized to that.
  public var crop: Crop
  /// Horizontal field of view of the upright, uncropped picture, degrees, above 0 and below 180.
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

  /// The size of the picture once it is upright, pixels.
  public var upright: Size { orientation.apply(image) }

  /// The size of what the detector saw, pixels.
  public var seen: Size {
    switch crop {
    case .none: return upright
    case .square:
      let side = min(upright.width, upright.height)
      return Size(side, side)
    }
  }

  /// A point in what the detector saw, in the whole upright picture.
  public func inUpright(_ point: Point) -> Point {
    crop == .square ? SquareCrop(of: upright).undo(point) : point
  }

  /// A box in what the detector saw, in the whole upright picture.
  public func inUpright(_ box: Box) -> Box {
    crop == .square ? SquareCrop(of: upright).undo(box) : box
  }
}
