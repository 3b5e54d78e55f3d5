import SentryBenchTesting
import TestSupport
import Testing

/// A turret that follows a face.
struct TurretRigTests {
  private static let scene = """
    length: 6s
    faces: [{start: 90, path: [{stand: 2s}, {step: 105, for: 4s}]}]
    camera: {delay: 60ms}
    aim: {mapping: fov}
    expect:
      - {track: 3°, for: 60%}
      - overshoot: below 5°
    """

  private static func withScene<Result>(_ use: (String) throws -> Result) throws -> Result {
    let files = try TestFolder()
    try files.write(scene, "scene.yaml")
    return try use(files.path("scene.yaml"))
  }

  @Test func `The bench's own aim keeps the rules of the scene`() throws {
    let figures = try Self.withScene { try TurretRig($0).follow() }
    #expect(figures.brokenRules.isEmpty)
    #expect(figures["on_target"]! > 0.9)
  }

  @Test func `A function that does nothing breaks them`() throws {
    let figures = try Self.withScene { try TurretRig($0).follow { _ in nil } }
    #expect(figures.brokenRules.contains { $0.contains("track 3° for 60% failed") })
  }

  @Test func `A function tracks by the faces in each picture`() throws {
    let figures = try Self.withScene {
      try TurretRig($0, settings: ["camera.rate": "15"]).follow { picture in
        picture.faces.first.map { "X\(Int((90 + 60 * ($0.middle - 0.5)).rounded()))." }
      }
    }
    #expect(figures.brokenRules.isEmpty)
    #expect(figures["overshoot"]! < 5)
  }

  @Test func `A scene that makes no sense is refused with its place`() throws {
    #expect(throws: TurretError.self) {
      try Self.withScene { try TurretRig($0, settings: ["camera.fov": "200"]).follow() }
    }
  }
}
