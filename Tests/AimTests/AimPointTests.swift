import Aim
import Testing

@Suite struct AimPointTests {
  private static let outlines: [String: [Point]] = [
    // Most points are at the left corner of this eye.
    "leftEye": [Point(0.6, 0.7), Point(0.6, 0.7), Point(0.62, 0.72), Point(0.8, 0.68)],
    "rightEye": [Point(0.2, 0.7), Point(0.4, 0.7)], "nose": [Point(0.45, 0.5), Point(0.55, 0.5)],
    "outerLips": [Point(0.4, 0.1), Point(0.6, 0.1), Point(0.5, 0.3)],
    "leftMouthCorner": [Point(0.9, 0.9)],
  ]

  /// In a box from 0.25 to 0.75 in both directions; the linear mapping is 40 + 100 * place.
  @Test(
    arguments: [
      (.box, outlines, Angles(x: 90, y: 90), false),
      (.eyes, outlines, Angles(x: 90, y: 80), false),
      (.nose, outlines, Angles(x: 90, y: 90), false),
      (.mouth, outlines, Angles(x: 90, y: 105), false),
      (.eyes, ["leftEye": [Point(0.75, 0.75)]], Angles(x: 102, y: 77), false),
      (
        .mouth, ["leftMouthCorner": [Point(0.75, 0.25)], "rightMouthCorner": [Point(0.5, 0.25)]],
        Angles(x: 96, y: 102), false
      ),
      (.eyes, ["nose": [Point(0, 0)]], Angles(x: 90, y: 90), true),
      (.nose, ["nose": []], Angles(x: 90, y: 90), true), (.mouth, [:], Angles(x: 90, y: 90), true),
    ] as [(AimPoint, [String: [Point]], Angles, Bool)])
  func `A landmark is aimed at, or the box if the face has none`(
    at: AimPoint, landmarks: [String: [Point]], angles: Angles, lacks: Bool
  ) throws {
    var options = AimOptions()
    options.at = at
    var aimer = try Aimer(camera: Camera(image: Size(100, 100)), options: options)
    let box = Box(0.25, 0.25, 0.5, 0.5)
    let face = Observation(.face, box: box, landmarks: landmarks)
    let sighting = aimer.see(Frame(time: 0, found: [face]))
    #expect(sighting.angles == angles)
    #expect(sighting.lacksLandmark == lacks)
    #expect(aimer.see(Frame(time: 1, found: [])).lacksLandmark == false)
  }

  @Test func `A mark has its landmarks in the view`() throws {
    var aimer = try Aimer(camera: Camera(image: Size(100, 100), view: Size(200, 400)))
    let face = Observation(
      .face, box: Box(0.25, 0.5, 0.5, 0.25), landmarks: ["nose": [Point(0.5, 0), Point(1, 1)]])
    let mark = try #require(aimer.see(Frame(time: 0, found: [face])).target)
    #expect(mark.box == Box(50, 100, 100, 100))
    #expect(mark.landmarks == ["nose": [Point(100, 200), Point(150, 100)]])
  }
}
