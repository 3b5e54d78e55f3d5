import Aim
import Foundation
import Testing

/// The example of docs/iphone.md.
@Suite struct ShooterTests {
  @Test func `The page shows the source that is compiled here`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let page = folder.appendingPathComponent("../../docs/iphone.md")
    let source = folder.appendingPathComponent("Shooter.swift")
    let text = try String(contentsOf: page, encoding: .utf8)
    let compiled = try String(contentsOf: source, encoding: .utf8)
    #expect(text.contains("```swift\n\(compiled)```\n"))
  }

  @Test func `The shooter aims, keeps its target, and sends L when the target is lost`() throws {
    // The upright picture is 1080 x 1920. The view is as high, and 2.4 times as high as wide.
    var shooter = try Shooter(view: Size(400, 960))
    let face = (box: Box(0.375, 0.375, 0.25, 0.25), confidence: 0.9)
    let sighting = shooter.see([face], at: 0)
    #expect(sighting.status == "Shooting X: 90 | Y: 90")
    #expect(sighting.command?.text == "X90.")
    #expect(sighting.target.map { abs($0.box.centre.x - 200) < 1e-9 } == true)
    // 1.1 times as big, which is not enough to leave the first.
    let rival = (box: Box(0, 0, 0.25, 0.275), confidence: 0.9)
    #expect(shooter.see([rival, face], at: 0.03).command == nil)
    #expect(shooter.see([], at: 0.06).command?.text == "L")
    #expect(shooter.see([], at: 0.09).command == nil)
    shooter.reconnected()
    #expect(shooter.see([], at: 0.12).command?.text == "L")
  }
}
