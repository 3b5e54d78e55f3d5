import Aim
import TestSupport
import Testing

@Suite struct AimerTests {
  static let camera = Camera(
    image: Size(1920, 1080), orientation: .right, view: Size(400, 800), fov: 90)

  static func face(_ box: Box) -> Observation { Observation(.face, box: box) }

  static func frame(_ found: Observation...) -> Frame { Frame(time: 0, found: found) }

  static func aimer(
    _ camera: Camera = camera, _ change: (inout AimOptions) -> Void = { _ in }
  ) throws -> Aimer {
    var options = AimOptions()
    change(&options)
    return try Aimer(camera: camera, options: options)
  }

  /// The figures of the app: the centre in a view of 400 x 800, y down.
  @Test(
    arguments: [
      (Box(0.4, 0.4, 0.2, 0.2), "Shooting X: 90 | Y: 90", "X90."),
      (Box(0, 0.9, 0.1, 0.1), "Shooting X: 45 | Y: 45", "X45."),
      (Box(0.75, 0, 0.25, 0.25), "Shooting X: 127 | Y: 127", "X127."),  // 0.875: 127.5
      (Box(0.53, 0.6, 0.1, 0.18), "Shooting X: 98 | Y: 71", "X98."),  // 0.58 and 0.31
      // Over the edge: the middle of the whole box, or the end of the range if that is outside.
      (Box(-0.0625, 0.4, 0.25, 0.2), "Shooting X: 46 | Y: 90", "X46."),  // 0.0625: 46.25
      (Box(-0.25, 0, 0.5, 1), "Shooting X: 40 | Y: 90", "X40."),
      (Box(-0.375, 0, 0.5, 1), "Shooting X: 40 | Y: 90", "X40."),
      (Box(0.875, 0, 0.5, 1), "Shooting X: 140 | Y: 90", "X140."),
      (Box(0.75, -1, 10, 3), "Sentry mode, no targets", "L"),
      (Box(.nan, 0, 0.5, 0.5), "Sentry mode, no targets", "L"),
      (Box(0.5, 0.5, -0.1, 0.1), "Sentry mode, no targets", "L"),
      (Box(1.5, 0.5, 0.1, 0.1), "Sentry mode, no targets", "L"),
    ])
  func `One face gives the app's status and command in linear mapping`(
    box: Box, status: String, command: String
  ) throws {
    var aimer = try Self.aimer()
    let sighting = aimer.see(Self.frame(Self.face(box)))
    #expect(sighting.status == status)
    #expect(sighting.command?.text == command)
    #expect(aimer.see(Self.frame(Self.face(box))).command == nil)
  }

  /// A face whose centre is at 0.25 of the detector's image. The upright picture is 1080 x 1920.
  @Test(
    arguments: [
      (.linear, .resize, false, .none, false, 65), (.linear, .resize, true, .none, false, 115),
      (.linear, .resize, false, .none, true, 115), (.linear, .resize, true, .none, true, 65),
      // 800 / 1920 of a point per pixel makes 450 points: 112.5 - 25 = 87.5 of 400.
      (.linear, .aspectFill, false, .none, false, 61),
      // 400 / 1080: the width equals the view's.
      (.linear, .aspectFit, false, .none, false, 65),
      // The square is as wide as the upright picture.
      (.linear, .resize, false, .square, false, 65),
      // 90 + atan(-0.5) = 63.4
      (.fov, .resize, false, .none, false, 63), (.fov, .aspectFill, false, .none, false, 63),
      (.fov, .resize, true, .none, false, 117), (.fov, .resize, false, .none, true, 117),
      (.fov, .resize, false, .square, false, 63),
    ] as [(Mapping, Gravity, Bool, Crop, Bool, Int)])
  func `The angle depends on mapping, gravity, crop and both mirror settings`(
    mapping: Mapping, gravity: Gravity, mirror: Bool, crop: Crop, mirrored: Bool, degrees: Int
  ) throws {
    var camera = Self.camera
    camera.crop = crop
    camera.mirrored = mirrored
    var aimer = try Self.aimer(camera) {
      $0.mapping = mapping
      $0.gravity = gravity
      $0.mirror = mirror
    }
    let sighting = aimer.see(Self.frame(Self.face(Box(0.125, 0.375, 0.25, 0.25))))
    #expect(sighting.angles == Angles(x: degrees, y: 90))
    let off = try #require(sighting.offCentre)
    #expect(abs(off - (mirrored ? 26.56505117707799 : -26.56505117707799)) < 1e-9)
  }

  /// The square of a picture of 1920 x 1080 starts at 0.21875 and is 0.5625 wide. A place that is
  /// off in the last bit would become 89 when truncated to whole degrees.
  @Test(arguments: [Gravity.resize, .aspectFill, .aspectFit], [false, true])
  func `The middle is 90 degrees in mirror images, square crops and filled views`(
    gravity: Gravity, mirrored: Bool
  ) throws {
    for crop in Crop.allCases where mirrored || crop == .square || gravity != .resize {
      for (image, view) in [
        (Size(1920, 1080), Size(390, 844)), (Size(854, 480), Size(320, 240)),
        (Size(777, 333), Size(1, 1)), (Size(1280, 720), Size(1179, 2556)),
      ] {
        let camera = Camera(image: image, mirrored: mirrored, view: view, crop: crop)
        var aimer = try Self.aimer(camera) { $0.gravity = gravity }
        for width in 1...100 {
          let box = Box(Double(500 - 5 * width) / 1000, 0.4, Double(width) / 100, 0.2)
          #expect(aimer.see(Self.frame(Self.face(box))).angles?.x == 90, "\(box) \(view) \(crop)")
        }
      }
    }
  }

  @Test func `A box in a square crop is mapped to the whole picture`() throws {
    let camera = Camera(image: Size(1920, 1080), crop: .square)
    var aimer = try Self.aimer(camera)
    // The centre is a sixteenth inside the square's left edge: 0.21875 + 0.0625 * 0.5625 = 0.2539
    let sighting = aimer.see(Self.frame(Self.face(Box(0, 0.25, 0.125, 0.5))))
    #expect(sighting.angles == Angles(x: 65, y: 90))
    let mark = try #require(sighting.target)
    expect(mark.box, near: Box(420, 270, 135, 540))
    #expect(mark.observation.box == Box(0, 0.25, 0.125, 0.5))
  }

  @Test func `The biggest face is the target, and the others follow by size`() throws {
    var aimer = try Self.aimer()
    let faces = [0.1, 0.3, 0.2].map { Self.face(Box($0, 0, $0, $0)) }
    let sighting = aimer.see(Frame(time: 0, found: faces))
    #expect(sighting.target?.observation == faces[1])
    #expect(sighting.others.map(\.observation) == [faces[2], faces[0]])
  }

  @Test func `An empty frame sends L once, and a target that returns is aimed at again`() throws {
    var aimer = try Self.aimer()
    let face = Self.frame(Self.face(Box(0.4, 0.4, 0.2, 0.2)))
    let frames = [Self.frame(), Self.frame(), face, face, Self.frame(), Self.frame(), face]
    #expect(
      frames.map { aimer.see($0).command?.text } == ["L", nil, "X90.", nil, "L", nil, "X90."])
    aimer.reconnect()
    #expect(aimer.see(face).command?.text == "X90.")
  }

  @Test func `A caller that keeps track of what was sent gets no command`() throws {
    var aimer = try Self.aimer()
    let sighting = aimer.sight(Self.frame(Self.face(Box(0.4, 0.4, 0.2, 0.2))))
    #expect(sighting.command == nil && sighting.wanted == .aim(90))
    #expect(aimer.see(Self.frame(Self.face(Box(0.4, 0.4, 0.2, 0.2)))).command == .aim(90))
  }

  /// A face at 45 degrees, and 71 from the top.
  @Test(
    arguments: [
      (0...180, 0...180, false, false, "P45,T71\n"), (60...120, 0...180, false, false, "P60,T71\n"),
      (0...180, 80...100, false, false, "P45,T80\n"), (0...180, 40...50, false, false, "P45,T50\n"),
      (0...180, 0...180, false, true, "P45,T109\n"), (0...180, 0...180, true, false, "P135,T71\n"),
      (60...120, 0...180, true, false, "P120,T71\n"),
    ] as [(ClosedRange<Int>, ClosedRange<Int>, Bool, Bool, String)])
  func `A sketch's own command has both angles, within their limits`(
    pan: ClosedRange<Int>, tilt: ClosedRange<Int>, mirror: Bool, mirrorTilt: Bool, text: String
  ) throws {
    let command = try CommandTemplate(#"P{pan},T{tilt}\n"#)
    var aimer = try Self.aimer {
      $0.command = command
      $0.pan = pan
      $0.tilt = tilt
      $0.mirror = mirror
      $0.mirrorTilt = mirrorTilt
    }
    let sighting = aimer.see(Self.frame(Self.face(Box(0, 0.6, 0.1, 0.18))))
    #expect(sighting.command?.text == text)
    #expect(sighting.wanted.degrees == sighting.angles?.x)
    #expect(sighting.wanted.tilt == sighting.angles?.y)
  }

  @Test func `A sketch without a command for a lost target gets none`() throws {
    var aimer = try Self.aimer { $0.lost = [] }
    let face = Self.frame(Self.face(Box(0.4, 0.4, 0.2, 0.2)))
    let commands = [Self.frame(), face, Self.frame(), face].map { aimer.see($0).command?.text }
    #expect(commands == [nil, "X90.", nil, nil])
    var own = try Self.aimer { $0.lost = Array("S\n".utf8) }
    #expect(own.see(Self.frame()).command?.text == "S\n")
  }

  /// The camera looks at 90 degrees in both directions; its picture is 90 degrees wide and high.
  @Test func `A target that is followed is followed in both directions`() throws {
    let command = try CommandTemplate(#"{pan},{tilt}\n"#)
    var aimer = try Self.aimer(Camera(image: Size(100, 100), fov: 90)) {
      $0.command = command
      $0.follow = FollowOptions()
      $0.tilt = 80...180
    }
    // atan(0.5) = 26.6
    let seen = aimer.see(Self.frame(Self.face(Box(0.7, 0.2, 0.1, 0.1))))
    #expect(seen.command?.text == "117,117\n")
    let high = aimer.see(Self.frame(Self.face(Box(0.7, 0.7, 0.1, 0.1))))
    #expect(high.command?.text == "117,80\n")
  }

  @Test func `Options filter the possible targets`() throws {
    let cat = Observation(.object, box: Box(0, 0, 0.2, 0.2), confidence: 0.5, label: "cat")
    let dog = Observation(.object, box: Box(0.8, 0, 0.2, 0.4), confidence: 0.3, label: "dog")
    let over = Observation(.object, box: Box(0.8, 0, 0.2, 0.41), confidence: 0.2, label: "dog")
    let frame = Self.frame(cat, dog, over)
    func target(_ change: (inout AimOptions) -> Void) throws -> Observation? {
      var aimer = try Self.aimer(Self.camera, change)
      return aimer.see(frame).target?.observation
    }
    #expect(try target { _ in } == over)
    #expect(try target { $0.maxOverlap = 0.6 } == dog)
    #expect(try target { $0.minConfidence = 0.4 } == cat)
    #expect(try target { $0.label = "cat" } == cat)
    #expect(try target { $0.leastHeight = 0.405 } == over)
    #expect(try target { $0.ratio = 0.5...1 } == cat)  // 0.2 x 0.2 of 1080 x 1920 is 0.5625
    #expect(try target { $0.require = Gate(label: "cat", least: 0.5) } == over)
    #expect(try target { $0.require = Gate(label: "cat", least: 0.6) } == nil)
    #expect(try target { $0.label = "cow" } == nil)
  }

  @Test func `The drawing game aims at the middle while its gate is open`() throws {
    var aimer = try Self.aimer { $0.require = Gate(label: "cat", least: 0.5) }
    func drawn(_ confidence: Double) -> Frame {
      Self.frame(
        Observation(.class, box: nil, confidence: 0.9, label: "dog"),
        Observation(.class, box: nil, confidence: confidence, label: "cat"))
    }
    #expect(aimer.see(drawn(0.4)).command == .lost)
    #expect(aimer.see(drawn(0.5)).command == .aim(90))
    let nothing = aimer.see(Self.frame())
    #expect(nothing.gate == .noResult)
    #expect(nothing.command == .lost)
    // Without a gate a class cannot be aimed at.
    var plain = try Self.aimer()
    #expect(plain.see(drawn(0.9)).command == .lost)
    // An object that the filters drop does not make the aimer fire at the middle.
    var tall = try Self.aimer {
      $0.require = Gate(label: "cat", least: 0.5)
      $0.leastHeight = 0.5
    }
    let small = Observation(.object, box: Box(0, 0, 0.1, 0.1), confidence: 0.9, label: "cat")
    #expect(tall.see(Self.frame(small)).command == .lost)
  }

  @Test func `A pair of strips is one target with a distance`() throws {
    var aimer = try Self.aimer(Camera(image: Size(400, 400), fov: 90)) {
      $0.mapping = .fov
      $0.strips = StripPairing()
      $0.distances = DistanceRegression(slope: 5, offset: 0)
    }
    let strips = [
      StripTests.strip(0.55, lean: 0.05), StripTests.strip(0.85, lean: -0.05),
      StripTests.strip(0.1, lean: -0.05),
    ]
    let sighting = aimer.see(Frame(time: 0, found: strips))
    // From 0.55 to 0.9: the centre is 0.225 right of the middle, atan(0.45) = 24.23.
    #expect(sighting.command == .aim(114))
    #expect(abs((sighting.offCentre ?? 0) - 24.22774531795417) < 1e-9)
    #expect(abs((sighting.distance ?? 0) - 18.898223650461361) < 1e-9)  // 5 / sqrt(0.07)
    #expect(aimer.see(Frame(time: 1, found: [strips[0]])).command == .lost)
  }

  @Test(
    arguments: [
      (Camera(image: Size(0, 1)), .badSize("image")),
      (Camera(image: Size(.nan, 1), view: Size(1, 1)), .badSize("image")),
      (Camera(image: Size(1, 1), view: Size(1, -1)), .badSize("view")),
      (Camera(image: Size(1, 1), view: Size(.infinity, 1)), .badSize("view")),
      (Camera(image: Size(1, 1), fov: 0), .badFieldOfView(0)),
      (Camera(image: Size(1, 1), fov: 180), .badFieldOfView(180)),
    ] as [(Camera, AimError)])
  func `An invalid camera is refused`(camera: Camera, error: AimError) {
    #expect(throws: error) { try Aimer(camera: camera) }
  }

  @Test func `Invalid options are refused`() {
    func refuses(_ error: AimError, _ change: (inout AimOptions) -> Void) {
      #expect(throws: error) { try Self.aimer(Camera(image: Size(1, 1)), change) }
    }
    refuses(.noFieldOfView) { $0.mapping = .fov }
    refuses(.outOfRange("the minimum confidence", "0 to 1")) { $0.minConfidence = .nan }
    refuses(.outOfRange("the maximum overlap", "0 to 1")) { $0.maxOverlap = 1.1 }
    refuses(.outOfRange("the minimum height", "0 to 1")) { $0.leastHeight = -1 }
    refuses(.outOfRange("the required confidence", "0 to 1")) {
      $0.require = Gate(label: "cat", least: 2)
    }
    refuses(.outOfRange("the stick factor", "1 or more")) { $0.stick = 0.9 }
    refuses(.outOfRange("the stick factor", "1 or more")) { $0.stick = .infinity }
    refuses(.outOfRange("the limits of pan", "0 to 180 degrees")) { $0.pan = -1...90 }
    refuses(.outOfRange("the limits of tilt", "0 to 180 degrees")) { $0.tilt = 90...181 }
    refuses(.outOfRange("the command to fire", "a byte or more")) {
      $0.fire = FireOptions([], when: FireCondition(time: 1))
    }
    refuses(.outOfRange("the time on target", "0 to 60 s")) {
      $0.fire = FireOptions([70], when: FireCondition(time: .nan))
    }
  }

  @Test func `A thousand faces give one target and 999 others`() throws {
    var aimer = try Self.aimer { $0.maxOverlap = 0.5 }
    let faces = (0..<1000).map {
      Self.face(Box(Double($0 % 40) / 40, Double($0 / 40) / 25, 0.02, 0.02))
    }
    let sighting = aimer.see(Frame(time: 0, found: faces))
    #expect(sighting.target != nil)
    #expect(sighting.others.count == 999)
  }
}
