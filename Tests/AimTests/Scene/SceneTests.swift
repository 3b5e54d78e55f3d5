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
}
