import Sketches
import Testing
import Traces

@testable import Pictures

/// The picture of a turret that follows a face.
struct TrackingPictureTests {
  private static func texts(_ events: [Event], fixedAt camera: Double? = nil) throws -> (
    texts: [String], lines: Int, height: Double
  ) {
    let end = Instant.zero + .seconds(4)
    var session = PlottedTracking(title: "A turret", subtitle: "a scene", end: end)
    session.camera = camera
    for event in events { session.take(event) }
    let svg = TrackingPicture.svg(of: session)
    let picture = try #require(Wellformedness(svg))
    let lowest = picture.texts.map { $0.y }.max() ?? 0
    return (
      picture.texts.map { $0.content }, svg.split(separator: "class=\"miss\"").count - 1, lowest
    )
  }

  private static func events(on pin: BoardPin?, _ degrees: Double) -> [Event] {
    [
      Event(.zero, .truth(degrees, on: pin)), Event(.zero, .shaft(90, on: pin)),
      Event(.zero + .seconds(2), .output(.servo(degrees: 80, microseconds: 1_369, on: pin))),
      Event(.zero + .seconds(3), .shaft(degrees, on: pin)),
    ]
  }

  @Test func `A turret that tilts has the angles and the error of both axes`() throws {
    let tilt = BoardPin(arduino: 10)
    let one = try Self.texts(Self.events(on: nil, 100))
    #expect(one.texts.contains("degrees") && one.texts.contains("error"))
    let both = try Self.texts(Self.events(on: nil, 100) + Self.events(on: tilt, 80), fixedAt: 95)
    for name in ["pan, degrees", "pan, error", "tilt, degrees", "tilt, error"] {
      #expect(both.texts.contains(name), "\(name)")
    }
    // Another line for the error, below the first.
    #expect(both.lines == one.lines + 1 && both.height > one.height + 300)
  }

  @Test func `Another servo that no face is for is not drawn`() throws {
    let others = Self.events(on: BoardPin(arduino: 10), 80).filter { event in
      if case .truth = event.kind { false } else { true }
    }
    let one = try Self.texts(Self.events(on: nil, 100))
    let more = try Self.texts(Self.events(on: nil, 100) + others)
    #expect(more.texts == one.texts && more.height == one.height)
  }
}
