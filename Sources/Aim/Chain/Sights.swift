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

  /// Maps to the whole upright picture, not mirrored.
  private func inWorld(_ point: Point) -> Point {
    Mirroring(camera.mirrored).undo(camera.inUpright(point))
  }
}
