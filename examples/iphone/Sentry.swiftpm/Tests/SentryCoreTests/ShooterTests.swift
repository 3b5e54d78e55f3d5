import Aim
import SentryCore
import Testing
import TurretLink

@Suite struct ShooterTests {
  /// Sees a picture of the shooter's camera, in its mode.
  private func see(
    _ shooter: inout Shooter, _ found: [Observation] = [], trouble: Trouble? = nil
  ) -> String? {
    let settings = shooter.settings
    let picture = Picture(
      time: 0, image: Size(1920, 1080), side: settings.side, mode: settings.mode, found: found,
      trouble: trouble)
    return shooter.see(picture)?.text
  }

  private func shooter(_ change: (inout SentrySettings) -> Void = { _ in }) -> Shooter {
    var settings = SentrySettings()
    change(&settings)
    var shooter = Shooter(settings)
    // As in a picture of a phone held upright, 1080 x 1920 pixels.
    shooter.layOut(width: 270, height: 480)
    return shooter
  }

  private func face(_ x: Double, _ size: Double = 0.2) -> Observation {
    Observation(.face, box: Box(x - size / 2, 0.405, size, size), confidence: 0.9)
  }

  private func object(
    _ label: String, _ confidence: Double, at x: Double, _ size: Double = 0.2
  ) -> Observation {
    Observation(
      .object, box: Box(x - size / 2, 0.405, size, size), confidence: confidence, label: label)
  }

  private func classes(_ found: [(String, Double)]) -> [Observation] {
    found.map { Observation(.class, box: nil, confidence: $0.1, label: $0.0) }
  }

  @Test func `The largest face is the target, in red; the others are yellow`() {
    var shooter = shooter()
    #expect(see(&shooter, [face(0.2), face(0.8, 0.4)]) == "X120.")
    #expect(shooter.display.title == "Shooting")
    #expect(shooter.display.detail == "X: 120 | Y: 79")
    #expect(shooter.display.outlines.map { $0.isTarget } == [false, true])
    #expect(shooter.display.outlines.map { $0.box.width.rounded() } == [54, 108])
  }

  @Test func `A command is sent once, and L when the last face is gone`() {
    var shooter = shooter()
    #expect(see(&shooter, [face(0.5)]) == "X90.")
    #expect(see(&shooter, [face(0.5)]) == nil)
    #expect(see(&shooter) == "L")
    #expect(see(&shooter) == nil)
    #expect(shooter.display.title == "Sentry mode")
    #expect(shooter.display.detail == "No targets")
    #expect(shooter.display.outlines.isEmpty)
  }

  @Test func `A face that is a little larger does not take over`() {
    var shooter = shooter()
    #expect(see(&shooter, [face(0.2)]) == "X60.")
    #expect(see(&shooter, [face(0.2), face(0.8, 0.21)]) == nil)
    #expect(see(&shooter, [face(0.2), face(0.8, 0.25)]) == "X120.")
  }

  @Test(arguments: [
    (CameraSide.back, false, "X120."), (.front, false, "X59."), (.back, true, "X60."),
    (.front, true, "X121."),
  ])
  func `The front camera's picture is a mirror image, and the turret can be reversed`(
    _ side: CameraSide, _ reversed: Bool, _ expected: String
  ) {
    var shooter = shooter {
      $0.side = side
      $0.reversed = reversed
    }
    // At 120.5 or 59.5 degrees.
    #expect(see(&shooter, [face(0.805)]) == expected)
    // The preview is the same mirror image, so the box is where the picture has it.
    #expect(shooter.display.outlines.map { $0.box.centre.x.rounded() } == [217])
  }

  @Test func `What the preview cuts off is still aimed at, at the edge`() {
    var shooter = shooter()
    shooter.layOut(width: 135, height: 480)
    #expect(see(&shooter, [face(0.95, 0.1)]) == "X140.")
    #expect(see(&shooter, [face(0.5, 0.1)]) == "X90.")
  }

  @Test func `Landmarks are drawn within their face, with y down`() {
    var found = face(0.5)
    found.landmarks = ["leftEye": [Point(0, 1), Point(1, 0)]]
    var shooter = shooter()
    _ = see(&shooter, [found])
    #expect(
      shooter.display.dots.map { Point($0.x.rounded(), $0.y.rounded()) } == [
        Point(108, 190), Point(162, 286),
      ])
    var settings = shooter.settings
    settings.landmarks = false
    shooter.change(settings)
    _ = see(&shooter, [found])
    #expect(shooter.display.dots.isEmpty)
  }

  @Test(arguments: [
    ([("cat", 0.7), ("dog", 0.9)], "X90.", "X: 90 | Y: 90"),
    ([("cat", 0.59), ("dog", 0.9)], "L", "cat: 59 % of 60 %"),
    ([("cat", 0.599)], "L", "cat: 59 % of 60 %"),
    ([("dog", 0.9)], "L", "No cat"),
    ([], "L", "The model returned no labels."),
    ([("cat", .nan)], "L", "The model returned no labels."),
  ])
  func `The label that is asked for opens the gate, however many others score higher`(
    _ found: [(String, Double)], _ command: String, _ detail: String
  ) {
    var shooter = shooter {
      $0.mode = .label
      $0.label = " cat "
      $0.confidence = 0.6
    }
    #expect(see(&shooter, classes(found)) == command)
    #expect(shooter.display.detail == detail)
  }

  @Test func `A label that was not entered is asked for`() {
    var shooter = shooter { $0.mode = .label }
    #expect(see(&shooter, classes([("cat", 0.9)])) == "L")
    #expect(shooter.display.detail == "Enter a label in the settings.")
  }

  @Test func `An object that is not confident enough is ignored`() {
    var shooter = shooter { $0.mode = .object }
    #expect(
      see(&shooter, [object("cat", 0.39, at: 0.2, 0.4), object("cat", 0.4, at: 0.8)])
        == "X120.")
    #expect(shooter.display.outlines.map { $0.caption } == ["cat 40 %"])
  }

  @Test(arguments: [(0.6, 2), (0.7, 3)])
  func `Of two boxes with one label that overlap too much, the more confident is kept`(
    _ overlap: Double, _ count: Int
  ) {
    var shooter = shooter {
      $0.mode = .object
      $0.overlap = overlap
    }
    // Shifted by a fifth: the intersection is 4/6 of the union.
    let found = [
      object("cat", 0.9, at: 0.5), object("cat", 0.8, at: 0.54), object("dog", 0.7, at: 0.54),
    ]
    _ = see(&shooter, found)
    #expect(shooter.display.outlines.count == count)
  }

  @Test func `Only objects with the label are aimed at, if there is one`() {
    var shooter = shooter {
      $0.mode = .object
      $0.label = "dog"
    }
    let found = [object("cat", 0.9, at: 0.2, 0.4), object("dog", 0.9, at: 0.8)]
    #expect(see(&shooter, found) == "X120.")
    #expect(shooter.display.outlines.count == 1)
  }

  @Test(arguments: [
    (Trouble.noModel(.label), "Choose a Core ML model for the mode Label in the settings."),
    (.wrongModel(.label), "The model is not a classifier: it returned no labels."),
    (.failed("no memory"), "The picture could not be examined: no memory"),
  ])
  func `A detector that does not work sends L and says why`(
    _ trouble: Trouble, _ detail: String
  ) {
    var shooter = shooter()
    #expect(see(&shooter, [face(0.5)]) == "X90.")
    #expect(see(&shooter, [face(0.5)], trouble: trouble) == "L")
    #expect(shooter.display.detail == detail)
  }

  @Test func `Nothing is decided before the preview is on the screen`() {
    var shooter = Shooter()
    #expect(see(&shooter, [face(0.5)]) == nil)
    shooter.layOut(width: 0, height: 0)
    #expect(see(&shooter, [face(0.5)]) == nil)
    shooter.layOut(width: 270, height: 480)
    #expect(see(&shooter, [face(0.5)]) == "X90.")
  }

  @Test func `Pictures from before a change of mode or camera are ignored`() {
    var shooter = shooter()
    let old = Picture(
      time: 0, image: Size(1920, 1080), side: .back, mode: .face, found: [face(0.5)])
    var settings = shooter.settings
    settings.side = .front
    shooter.change(settings)
    #expect(shooter.see(old) == nil)
    settings.side = .back
    settings.mode = .object
    shooter.change(settings)
    #expect(shooter.see(old) == nil)
    settings.mode = .face
    shooter.change(settings)
    #expect(shooter.see(old)?.text == "X90.")
  }

  @Test func `After the app was in the background, the first aim is sent although it is the same`()
  {
    var shooter = shooter()
    #expect(see(&shooter, [face(0.5)]) == "X90.")
    #expect(shooter.sleep() == .lost)
    // A picture that was still on its way.
    #expect(see(&shooter, [face(0.2)]) == nil)
    #expect(shooter.display.outlines.isEmpty)
    shooter.wake()
    #expect(see(&shooter, [face(0.5)]) == "X90.")
    #expect(see(&shooter, [face(0.5)]) == nil)
  }

  private func status(
    _ connection: TurretLink.Status.Connection, _ control: TurretLink.Status.Control = .unknown
  ) -> TurretLink.Status {
    var status = TurretLink().status
    status.connection = connection
    status.control = control
    return status
  }

  @Test func `After a new connection, the first aim is sent although it is the same`() {
    var shooter = shooter()
    shooter.link(status(.connected))
    #expect(see(&shooter, [face(0.5)]) == "X90.")
    shooter.link(status(.connected))
    #expect(see(&shooter, [face(0.5)]) == nil)
    shooter.link(status(.disconnected("no answer")))
    #expect(see(&shooter, [face(0.5)]) == nil)
    shooter.link(status(.connected))
    #expect(see(&shooter, [face(0.5)]) == "X90.")
  }

  @Test func `A client that gains control sends its aim again`() {
    var shooter = shooter()
    shooter.link(status(.connected, .elsewhere))
    #expect(see(&shooter, [face(0.5)]) == "X90.")
    shooter.link(status(.connected, .here))
    #expect(see(&shooter, [face(0.5)]) == "X90.")
  }

  @Test(
    arguments: [
      (.connecting, .unknown, .yellow, "Connecting"),
      (.connected, .unknown, .green, "Connected"),
      (.connected, .here, .green, "Connected"),
      (.connected, .elsewhere, .yellow, "Connected. Another client controls the turret."),
      (.disconnected("no route"), .unknown, .red, "Not connected: no route"),
      (.asleep, .here, .red, "Not connected: the app is in the background."),
      (.ended, .unknown, .red, "Not connected"),
    ] as [(TurretLink.Status.Connection, TurretLink.Status.Control, Display.Light, String)])
  func `The light and a sentence show the connection`(
    _ connection: TurretLink.Status.Connection, _ control: TurretLink.Status.Control,
    _ light: Display.Light, _ sentence: String
  ) {
    var shooter = shooter()
    shooter.link(status(connection, control))
    #expect(shooter.display.light == light)
    #expect(shooter.display.connection == sentence)
  }

  @Test func `Before an address is entered, the display asks for it`() {
    let display = Shooter().display
    #expect(display.light == .red)
    #expect(display.connection == "Enter the gateway's address in the settings.")
  }

  @Test func `The connection's state outlives a change of the settings`() {
    var shooter = shooter()
    shooter.link(status(.connected))
    var settings = shooter.settings
    settings.reversed = true
    shooter.change(settings)
    #expect(shooter.display.light == .green)
    shooter.fail(.noPermission)
    #expect(shooter.display.light == .green)
    #expect(shooter.display.detail.hasPrefix("The app may not use the camera."))
  }
}
