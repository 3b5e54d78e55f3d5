import Aim
import SentryCore
import Testing

@Suite struct CameraTests {
  @Test(arguments: [(CameraSide.back, 6, false), (.front, 5, true)])
  func `A buffer is turned upright, and the front camera's is mirrored like the preview`(
    _ side: CameraSide, _ exif: Int, _ mirrored: Bool
  ) {
    let mounting = Mounting(side)
    #expect(mounting.exif == UInt32(exif))
    let camera = mounting.camera(image: Size(1920, 1080), view: Size(390, 844), crop: .none)
    #expect(camera.upright == Size(1080, 1920))
    #expect(camera.mirrored == mirrored)
  }

  @Test(arguments: [(Mode.face, false, Crop.none), (.label, true, .square), (.object, true, .none)])
  func `A mode has its model and its part of the picture`(
    _ mode: Mode, _ needsModel: Bool, _ crop: Crop
  ) {
    #expect(mode.needsModel == needsModel)
    #expect(mode.crop == crop)
  }

  @Test(arguments: ["Cats.mlmodel", "Cats.MLPACKAGE", "cats.v2.mlmodel"])
  func `A model's file is accepted`(_ name: String) throws {
    try ModelFile.check(name)
  }

  @Test(arguments: ["", "mlmodel", "Cats.zip", "Cats.mlmodel.txt", "Cats."])
  func `Any other file is refused by its name`(_ name: String) {
    #expect(throws: Trouble.notAModel(name)) { try ModelFile.check(name) }
  }

  @Test(
    arguments: [
      ([Lifecycle.Phase.active], [nil]),
      ([.active, .inactive, .active], [nil, nil, nil]),
      ([.active, .inactive, .background, .inactive, .active], [nil, nil, .sleep, nil, .wake]),
      ([.background, .background, .active, .active], [.sleep, nil, .wake, nil]),
    ] as [([Lifecycle.Phase], [Lifecycle.Step?])])
  func `The connection closes in the background and opens when the app is active again`(
    _ phases: [Lifecycle.Phase], _ steps: [Lifecycle.Step?]
  ) {
    var lifecycle = Lifecycle()
    #expect(phases.map { lifecycle.enter($0) } == steps)
  }
}
