import Sketches
import Testing

@testable import Aim

struct SceneTests {
  private static func scene(_ degrees: Double, _ change: (inout SceneCamera) -> Void) -> Scene {
    var camera = SceneCamera()
    change(&camera)
    let path = FacePath(from: degrees, at: 1.5, [], random: RandomStream(seed: 1, stream: 1))
    return Scene(faces: [.init(path)], camera: camera)
  }

  /// The angle that the aiming chain finds for a face, which is right if the two halves agree.
  @Test(arguments: [62.0, 75, 90, 101.5, 118], [false, true])
  func `Aim finds a face where the scene has it`(_ degrees: Double, _ isMirrored: Bool) throws {
    let scene = Self.scene(degrees) { $0.isMirrored = isMirrored }
    let box = try #require(scene.boxes(at: .zero, shaft: 17).first)
    let sights = try Sights(camera: scene.camera.camera, options: AimOptions())
    let offCentre = try #require(sights.offCentre(box))
    #expect(abs(90 + offCentre - degrees) < 1e-9)
  }

  @Test func `A camera on the turret looks where that points`() throws {
    let scene = Self.scene(100) { $0.mount = .turret(offset: 2) }
    let box = try #require(scene.boxes(at: .zero, shaft: 98).first)
    #expect(abs(box.centre.x - 0.5) < 1e-12)
    #expect(scene.boxes(at: .zero, shaft: 180).isEmpty)
  }

  @Test func `A face that is twice as near is twice as large`() throws {
    var camera = SceneCamera()
    camera.size = Size(640, 480)
    func width(_ distance: Double) throws -> Double {
      let path = FacePath(from: 90, at: distance, [], random: RandomStream(seed: 1, stream: 1))
      let scene = Scene(faces: [.init(path)], camera: camera)
      return try #require(scene.boxes(at: .zero, shaft: 90).first).width
    }
    #expect(abs(try width(1) / (try width(2)) - 2) < 1e-12)
    // 0.16 m at 1 m, in a picture that is 2 tan 30° wide there.
    #expect(abs(try width(1) - 0.16 / 1.154_700_538) < 1e-9)
  }

  @Test func `A hidden face is in no picture`() {
    var part = FacePath.Part(.stand, lasting: .seconds(1))
    part.isHidden = true
    let path = FacePath(from: 90, at: 1, [part], random: RandomStream(seed: 1, stream: 1))
    #expect(Scene(faces: [.init(path)], camera: SceneCamera()).boxes(at: .zero, shaft: 90).isEmpty)
  }

  @Test func `A detector misses, errs and invents as often as it is told`() throws {
    let scene = Self.scene(90) { _ in }
    var detector = Detector()
    detector.noise = 2
    detector.misses = 0.2
    detector.falseRate = 3
    var random = RandomStream(seed: 7, stream: 1)
    let boxes = scene.boxes(at: .zero, shaft: 90)
    let count = 20_000
    var (found, invented, square) = (0, 0, 0.0)
    for _ in 0..<count {
      for observation in detector.find(boxes, by: scene.camera, &random) {
        guard observation.confidence == 0.9, let box = observation.box else {
          invented += 1
          continue
        }
        found += 1
        let error = (box.centre.x - boxes[0].centre.x) * 640
        square += error * error
      }
    }
    #expect(abs(Double(found) / Double(count) - 0.8) < 0.02)
    #expect(abs(Double(invented) / Double(count) - 0.1) < 0.01)
    #expect(abs((square / Double(found)).squareRoot() - 2) < 0.1)
  }

  private static func scene(
    tilt: Double, degrees: Double = 90, _ change: (inout SceneCamera) -> Void = { _ in }
  ) -> Scene {
    var scene = scene(degrees, change)
    scene.faces[0].path = FacePath(
      from: degrees, tilt: tilt, at: 1.5, [], random: RandomStream(seed: 1, stream: 1))
    return scene
  }

  @Test(arguments: [70.0, 84, 90, 95.5, 110], [false, true])
  func `Aim finds how high a face is where the scene has it`(
    _ tilt: Double, _ isMirrored: Bool
  ) throws {
    let scene = Self.scene(tilt: tilt) { $0.isMirrored = isMirrored }
    let box = try #require(scene.boxes(at: .zero, shaft: 17).first)
    let sights = try Sights(camera: scene.camera.camera, options: AimOptions())
    #expect(abs(90 + (try #require(sights.belowCentre(box))) - tilt) < 1e-9)
    #expect(abs(try #require(sights.offCentre(box))) < 1e-9)
  }

  @Test(arguments: [62.0, 90, 118], [40.0, 75, 90, 130])
  func `A camera that is turned and tilted to a face has it in the middle, as large as ahead`(
    _ degrees: Double, _ tilt: Double
  ) throws {
    let scene = Self.scene(tilt: tilt, degrees: degrees) { $0.mount = .turret(offset: 0) }
    let box = try #require(scene.boxes(at: .zero, shaft: degrees, tilt: tilt).first)
    #expect(abs(box.centre.x - 0.5) < 1e-12 && abs(box.centre.y - 0.5) < 1e-12)
    let ahead = try #require(Self.scene(90) { _ in }.boxes(at: .zero, shaft: 90).first)
    #expect(abs(box.width - ahead.width) < 1e-12 && abs(box.height - ahead.height) < 1e-12)
    // A camera beside the turret does not tilt with it.
    let fixed = Self.scene(tilt: 85, degrees: degrees)
    #expect(fixed.boxes(at: .zero, shaft: 90, tilt: tilt) == fixed.boxes(at: .zero, shaft: 90))
  }

  /// A camera that is tilted by 30 degrees sees two faces beside each other closer together, as the
  /// meridians of a globe are.
  @Test func `What is beside the axis of a tilted camera is nearer to the middle`() throws {
    let scene = Self.scene(tilt: 60, degrees: 100) { $0.mount = .turret(offset: 0) }
    let box = try #require(scene.boxes(at: .zero, shaft: 90, tilt: 60).first)
    let sights = try Sights(camera: scene.camera.camera, options: AimOptions())
    // By rotating the way to the face: cos 30° sin 10° to the right, and so on.
    let right = try #require(sights.offCentre(box))
    let below = try #require(sights.belowCentre(box))
    #expect(abs(right - 8.649_354) < 1e-6 && abs(below - -0.381_255) < 1e-6)
  }

  @Test(arguments: [(62.0, false), (66.0, true), (118.0, false)])
  func `A face above or below the picture is not shown`(_ tilt: Double, _ isShown: Bool) throws {
    // The vertical field of view is 46.8 degrees.
    let scene = Self.scene(tilt: tilt)
    #expect(abs(scene.camera.verticalFOV - 46.826_449) < 1e-6)
    #expect(scene.showsTarget(at: .zero, shaft: 90) == isShown)
    #expect(scene.isTargetBeyondHeight(at: .zero))
    #expect(!Self.scene(tilt: 67).isTargetBeyondHeight(at: .zero))
  }

  @Test func `A face goes up and down with the parts of its path`() {
    var rise = FacePath.Part(.ramp(to: 100), lasting: .seconds(2))
    rise.tilt = 70
    var jump = FacePath.Part(.step(to: 80), lasting: .seconds(1))
    jump.tilt = 95
    let recorded = FacePath.Part(
      .points([
        .init(time: .zero, degrees: 80, tilt: 95),
        .init(time: .seconds(1), degrees: 90, tilt: 85),
      ]), lasting: .seconds(1))
    let stand = FacePath.Part(.stand, lasting: .seconds(1))
    let path = FacePath(
      from: 90, tilt: 80, at: 1, [rise, jump, recorded, stand],
      random: RandomStream(seed: 1, stream: 1))
    let times: [Int64] = [0, 1_000, 1_999, 2_000, 2_500, 3_000, 3_500, 4_500, 9_000]
    let tilts = times.map { path.place(at: .zero + .milliseconds($0)).tilt }
    #expect(tilts == [80, 75, 70.005, 95, 95, 95, 90, 85, 85])
    let corners = path.corners(until: .zero + .seconds(5))
    #expect(corners.map { $0.tilt } == [80, 70, 95, 95, 85, 85])
    #expect(corners.map { $0.degrees } == [90, 100, 80, 80, 90, 90])
    #expect(
      !path.isLevel
        && FacePath(
          from: 10, at: 1, [stand], random: RandomStream(seed: 1, stream: 1)
        ).isLevel)
  }
}
