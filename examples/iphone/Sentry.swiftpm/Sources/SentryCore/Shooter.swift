public import Aim
public import TurretLink

/// The decisions of the app: takes pictures, settings and the connection's state, and returns the
/// commands to send and what to show.
public struct Shooter: Sendable {
  public private(set) var settings: SentrySettings
  public private(set) var display = Display()
  /// The size of the preview in points; nil until it is on the screen.
  private var view: Size?
  private var aimer: Aimer?
  private var isAsleep = false

  public init(_ settings: SentrySettings = SentrySettings()) { self.settings = settings }

  /// Processes a picture. Returns the command to send; nil if it equals the one sent last.
  public mutating func see(_ picture: Picture) -> TurretCommand? {
    guard !isAsleep else { return nil }
    // These were examined before the settings changed.
    guard picture.mode == settings.mode, picture.side == settings.side else { return nil }
    guard let view, let chosen = aimer(for: picture, in: view) else { return nil }
    var aimer = chosen
    // A detector that does not work finds nothing: the turret gets an `L`.
    let found = picture.trouble == nil ? picture.found : []
    let sighting = aimer.see(Frame(time: picture.time, found: found))
    self.aimer = aimer
    display.show(sighting, settings: settings, trouble: picture.trouble)
    return sighting.command
  }

  /// The aimer for this picture. A new one has sent nothing yet, so its first command is sent.
  private func aimer(for picture: Picture, in view: Size) -> Aimer? {
    let camera = Mounting(picture.side)
      .camera(image: picture.image, view: view, crop: picture.mode.crop)
    let options = settings.options
    if let aimer, aimer.camera == camera, aimer.options == options { return aimer }
    return try? Aimer(camera: camera, options: options)
  }

  /// Called when the preview has another size, in points.
  public mutating func layOut(width: Double, height: Double) { view = Size(width, height) }

  public mutating func change(_ settings: SentrySettings) {
    guard settings != self.settings else { return }
    self.settings = settings
    display.clear()
  }

  /// Called when the camera cannot be used.
  public mutating func fail(_ trouble: Trouble) { display.fail(trouble) }

  /// The app is locked or goes to the background: pictures that are still on their way are ignored.
  /// Returns the command to send before the connection closes: the turret must not stay at a face
  /// that is no longer watched.
  public mutating func sleep() -> TurretCommand {
    isAsleep = true
    display.clear()
    return .lost
  }

  /// The app is back. The gateway does not know what was sent before: the next command is sent.
  public mutating func wake() {
    isAsleep = false
    aimer?.reconnect()
  }

  /// Called when the connection's state changes. After each new connection, and when this client
  /// gains control, the next command is sent.
  public mutating func link(_ status: TurretLink.Status) {
    let before = display.status
    display.status = status
    guard status.connection == .connected else { return }
    let isNew = before?.connection != .connected
    if isNew || (before?.control == .elsewhere && status.control == .here) { aimer?.reconnect() }
  }
}
