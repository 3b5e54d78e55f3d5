import Aim

/// The decisions of the app: takes faces, returns what to show and what to send.
struct Shooter {
  private var aimer: Aimer

  /// `view` is the preview's size in points. The buffer of a phone held upright lies on its side.
  init(view: Size) throws {
    let camera = Camera(image: Size(1920, 1080), orientation: .right, view: view)
    var options = AimOptions()
    options.gravity = .aspectFill
    options.stick = 1.2
    aimer = try Aimer(camera: camera, options: options)
  }

  mutating func see(_ faces: [(box: Box, confidence: Double)], at time: Double) -> Sighting {
    let found = faces.map { Observation(.face, box: $0.box, confidence: $0.confidence) }
    return aimer.see(Frame(time: time, found: found))
  }

  /// Called after a new connection: the gateway does not know what was sent before.
  mutating func reconnected() { aimer.reconnect() }
}
