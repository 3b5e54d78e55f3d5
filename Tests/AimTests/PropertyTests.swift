import Aim
import TestSupport
import Testing

@Suite struct PropertyTests {
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `Angles stay in range, commands never repeat, and order does not matter`(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let camera = Random.camera(using: &random)
    let options = Random.options(using: &random)
    var aimer = try Aimer(camera: camera, options: options)
    var other = aimer
    var last: TurretCommand?
    let range = options.mapping == .linear ? LinearAngle.range : FieldOfViewAngle.range
    for _ in 0..<40 {
      var frame = Random.frame(using: &random)
      let sighting = aimer.see(frame)
      frame.found.shuffle(using: &random)
      #expect(other.see(frame) == sighting)
      if let command = sighting.command {
        #expect(command != last)
        #expect(command.degrees.map(range.contains) ?? true)
        last = command
      }
      #expect(sighting.wanted == last)
      #expect(sighting.angles.map { range.contains($0.x) && range.contains($0.y) } ?? true)
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `A target further right is never aimed at further left`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var camera = Random.camera(using: &random)
    camera.mirrored = false
    var options = AimOptions()
    options.mapping = Mapping.allCases.randomElement(using: &random) ?? .linear
    options.gravity = Gravity.allCases.randomElement(using: &random) ?? .resize
    let width = Double.random(in: 0.01...0.5, using: &random)
    let places = (0..<100).map { _ in Double.random(in: -0.3...1.1, using: &random) }.sorted()
    var aimer = try Aimer(camera: camera, options: options)
    let angles = places.compactMap { x in
      aimer.see(Frame(time: 0, found: [Observation(.face, box: Box(x, 0.4, width, 0.2))])).angles?.x
    }
    #expect(angles == angles.sorted())
    #expect(angles.count > 50)
  }
}
