/// From a box in what the detector saw to the view and to angles, by one camera and its options.
///
/// In a mirrored picture left is right in the world. It is shown as it is, and turned back for the
/// angles: the same thing gets the same angle from a mirrored picture and from one that is not.
public struct Sights: Hashable, Sendable {
  private let camera: Camera
  private let mapping: Mapping
  private let toView: ViewMapping
  private let linearX: LinearAngle
  private let linearY: LinearAngle
  /// What the app shows: the whole picture, scaled. It scales the box and takes the middle of that,
  /// and the last bit is the app's then, too.
  private let isPlain: Bool
  private let trueX: FieldOfViewAngle?
  private let trueY: FieldOfViewAngle?

  public init(camera: Camera, options: AimOptions) throws(AimError) {
    let view = options.view ?? camera.view ?? camera.upright
    guard camera.image.isUsable else { throw .badSize("image") }
    guard view.isUsable else { throw .badSize("view") }
    if let fov = camera.fov, !(fov > 0 && fov < 180) { throw .badFieldOfView(fov) }
    if options.mapping == .fov, camera.fov == nil { throw .noFieldOfView }
    self.camera = camera
    mapping = options.mapping
    isPlain = !camera.mirrored && camera.crop == .none && options.gravity == .resize
    let upright = camera.upright
    toView = ViewMapping(options.gravity, picture: upright, view: view)
    linearX = LinearAngle(length: view.width, mirrored: options.mirror)
    linearY = LinearAngle(length: view.height)
    trueX = camera.fov.map { FieldOfViewAngle(fov: $0, mirrored: options.mirror) }
    trueY = camera.fov.map {
      FieldOfViewAngle(fov: $0).acrossAxis(aspect: upright.height / upright.width)
    }
  }

  /// Where a box is drawn in the view: points, y down.
  public func inView(_ box: Box) -> Box { toView.apply(camera.inUpright(box)) }

  /// Where to aim for a box's centre; nil for numbers that are not finite.
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

  /// Degrees that a box's centre is off the camera's axis, positive to the right in the world.
  public func offCentre(_ box: Box) -> Double? { trueX?.offCentre(at: inWorld(box.centre).x) }

  /// In the whole upright picture, not mirrored.
  private func inWorld(_ point: Point) -> Point {
    Mirroring(camera.mirrored).undo(camera.inUpright(point))
  }
}
