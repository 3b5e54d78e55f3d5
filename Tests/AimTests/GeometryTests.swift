import TestSupport
import Testing

@testable import Aim

@Suite struct GeometryTests {
  @Test func `A quarter turn swaps width and height`() {
    let size = Size(1920, 1080)
    #expect(Turning.allCases.map { $0.apply(size).width } == [1920, 1080, 1920, 1080])
  }

  @Test func `A square crop is the centre of a wide or a high picture`() {
    let wide = Scaling.square(of: Size(200, 100))
    #expect(wide.apply(Point(0, 0)) == Point(0.25, 0))
    #expect(wide.apply(Box(0.5, 0.25, 0.5, 0.5)) == Box(0.5, 0.25, 0.25, 0.5))
    #expect(wide.apply(Point(-0.5, 1)) == Point(0, 1))
    #expect(wide.apply(Box.unit) == Box(0.25, 0, 0.5, 1))
    let high = Scaling.square(of: Size(100, 400))
    #expect(high.apply(Box.unit) == Box(0, 0.375, 1, 0.25))
    #expect(high.apply(Point(0.5, 0)) == Point(0.5, 0.375))
  }

  /// A picture of 200 x 100 in a view of 100 x 100.
  @Test(
    arguments: [
      (.resize, Box(0.25, 0.5, 0.5, 0.25), Box(25, 25, 50, 25)),
      (.aspectFill, Box(0.25, 0.5, 0.5, 0.25), Box(0, 25, 100, 25)),
      (.aspectFit, Box(0.25, 0.5, 0.5, 0.25), Box(25, 37.5, 50, 12.5)),
      (.resize, .unit, Box(0, 0, 100, 100)),
      (.aspectFill, .unit, Box(-50, 0, 200, 100)),
      (.aspectFit, .unit, Box(0, 25, 100, 50)),
    ] as [(Gravity, Box, Box)])
  func `A picture is mapped into a view with y flipped`(gravity: Gravity, box: Box, inView: Box) {
    let mapping = ViewMapping(gravity, picture: Size(200, 100), view: Size(100, 100))
    #expect(mapping.apply(box) == inView)
    let upperLeft = Point(box.x, box.maxY)
    #expect(mapping.apply(upperLeft) == Point(inView.x, inView.y))
  }

  /// 844 / 1920 of a point per pixel: 474.75 points wide, of which 42.375 are cut off on either
  /// side.
  @Test func `A landscape buffer, turned, fills a portrait view`() {
    let camera = Camera(
      image: Size(1920, 1080), orientation: .right, view: Size(390, 844), fov: 60)
    #expect(camera.upright == Size(1080, 1920))
    let mapping = ViewMapping(.aspectFill, picture: camera.upright, view: Size(390, 844))
    expect(mapping.apply(Box.unit), near: Box(-42.375, 0, 474.75, 844))
    // The middle of the buffer's upper edge is at the right edge of the upright picture.
    expect(mapping.apply(Box(0.8, 0.4, 0.2, 0.2)), near: Box(337.425, 337.6, 94.95, 168.8))
  }

  @Test func `A detector's box is mapped to the upright picture`() {
    var camera = Camera(image: Size(1920, 1080), orientation: .left)
    let box = Box(0.25, 0.25, 0.5, 0.5)
    #expect(camera.inUpright(box) == box)
    #expect(camera.seen == Size(1080, 1920))
    camera.crop = .square
    #expect(camera.seen == Size(1080, 1080))
    expect(camera.inUpright(box), near: Box(0.25, 0.359375, 0.5, 0.28125))
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `A box and its centre move together`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func size() -> Size {
      Size(.random(in: 16...8000, using: &random), .random(in: 16...8000, using: &random))
    }
    let box = Random.box(using: &random)
    let square = Scaling.square(of: size())
    expect(square.apply(box.centre), near: square.apply(box).centre)
    for gravity in Gravity.allCases {
      let mapping = ViewMapping(gravity, picture: size(), view: size())
      expect(mapping.apply(box.centre), near: mapping.apply(box).centre)
    }
  }
}
