import Aim
import TestSupport
import Testing

@Suite struct GeometryTests {
  /// A box near the upper left of a buffer, and its lower left corner.
  static let box = Box(0.125, 0.5, 0.25, 0.375)
  static let corner = Point(0.125, 0.5)

  @Test(
    arguments: [
      (.up, false, Box(0.125, 0.5, 0.25, 0.375), Point(0.125, 0.5)),
      (.right, false, Box(0.5, 0.625, 0.375, 0.25), Point(0.5, 0.875)),
      (.down, false, Box(0.625, 0.125, 0.25, 0.375), Point(0.875, 0.5)),
      (.left, false, Box(0.125, 0.125, 0.375, 0.25), Point(0.5, 0.125)),
      (.up, true, Box(0.625, 0.5, 0.25, 0.375), Point(0.875, 0.5)),
      (.right, true, Box(0.125, 0.625, 0.375, 0.25), Point(0.5, 0.875)),
      (.down, true, Box(0.125, 0.125, 0.25, 0.375), Point(0.125, 0.5)),
      (.left, true, Box(0.5, 0.125, 0.375, 0.25), Point(0.5, 0.125)),
    ] as [(Turning, Bool, Box, Point)])
  func `Every turn, with and without mirroring, maps a box and back`(
    turning: Turning, mirrored: Bool, box: Box, corner: Point
  ) {
    let mirror = Mirroring(mirrored)
    #expect(mirror.apply(turning.apply(Self.box)) == box)
    #expect(mirror.apply(turning.apply(Self.corner)) == corner)
    #expect(turning.undo(mirror.undo(box)) == Self.box)
    #expect(turning.undo(mirror.undo(corner)) == Self.corner)
  }

  @Test(
    arguments: [
      (.up, Point(0, 1)), (.right, Point(1, 1)), (.down, Point(1, 0)), (.left, Point(0, 0)),
    ] as [(Turning, Point)])
  func `The buffer's upper left corner moves clockwise`(turning: Turning, place: Point) {
    #expect(turning.apply(Point(0, 1)) == place)
  }

  @Test func `A quarter turn swaps width and height`() {
    let size = Size(1920, 1080)
    #expect(Turning.allCases.map { $0.apply(size).width } == [1920, 1080, 1920, 1080])
    #expect(Turning.allCases.allSatisfy { $0.undo($0.apply(size)) == size })
  }

  @Test func `A square crop is the centre of a wide or a high picture`() {
    let wide = SquareCrop(of: Size(200, 100))
    #expect(wide.apply(Point(0.25, 0)) == Point(0, 0))
    #expect(wide.apply(Box(0.5, 0.25, 0.25, 0.5)) == Box(0.5, 0.25, 0.5, 0.5))
    #expect(wide.apply(Point(0, 1)) == Point(-0.5, 1))
    #expect(wide.undo(Box(0, 0, 1, 1)) == Box(0.25, 0, 0.5, 1))
    let high = SquareCrop(of: Size(100, 400))
    #expect(high.undo(Box(0, 0, 1, 1)) == Box(0, 0.375, 1, 0.25))
    #expect(high.apply(Point(0.5, 0.375)) == Point(0.5, 0))
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
    #expect(mapping.undo(inView) == box)
    let upperLeft = Point(box.x, box.maxY)
    #expect(mapping.apply(upperLeft) == Point(inView.x, inView.y))
    #expect(mapping.undo(Point(inView.x, inView.y)) == upperLeft)
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
    let upright = camera.orientation.apply(Box(0.4, 0.8, 0.2, 0.2))
    expect(upright, near: Box(0.8, 0.4, 0.2, 0.2))
    expect(mapping.apply(upright), near: Box(337.425, 337.6, 94.95, 168.8))
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

  @Test func `Landmarks are relative to the box of their face`() {
    let within = WithinBox(Box(0.5, 0.25, 0.25, 0.5))
    #expect(within.apply(Point(0, 0)) == Point(0.5, 0.25))
    #expect(within.apply(Point(0.5, 1)) == Point(0.625, 0.75))
    #expect(within.undo(Box(0.5, 0.25, 0.25, 0.5)) == .unit)
  }

  @Test func `An identity transform changes no bit`() {
    let box = Box(0.4, 0.55, 0.1, 0.12)
    #expect(Turning.up.apply(box) == box)
    #expect(Mirroring(false).apply(box) == box)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `Each transform and its inverse cancel out`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func size() -> Size {
      Size(.random(in: 16...8000, using: &random), .random(in: 16...8000, using: &random))
    }
    var transforms: [any Transform] = Turning.allCases + [Mirroring(true), Mirroring(false)]
    transforms += [SquareCrop(of: size())]
    transforms += Gravity.allCases.map { ViewMapping($0, picture: size(), view: size()) }
    for transform in transforms {
      let box = Random.box(using: &random)
      let point = Random.point(using: &random)
      expect(transform.undo(transform.apply(box)), near: box)
      expect(transform.apply(transform.undo(box)), near: box)
      expect(transform.undo(transform.apply(point)), near: point)
      expect(transform.apply(transform.undo(point)), near: point)
      // A box and its centre move together.
      let centre = transform.apply(box).centre
      expect(transform.apply(box.centre), near: centre)
    }
  }
}
