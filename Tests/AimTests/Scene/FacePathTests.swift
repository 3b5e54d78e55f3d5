import Sketches
import Testing

@testable import Aim

struct FacePathTests {
  private static func path(_ parts: [FacePath.Part], from degrees: Double = 90) -> FacePath {
    FacePath(from: degrees, at: 1.5, parts, random: RandomStream(seed: 1, stream: 1))
  }

  private static let usual = path([
    .init(.stand, lasting: .seconds(1)), .init(.step(to: 120), lasting: .seconds(1)),
    .init(.ramp(to: 100), lasting: .seconds(2)),
    .init(.sine(degrees: 10, period: .seconds(4)), lasting: .seconds(4)),
  ])

  @Test(arguments: [
    (0, 90.0), (999, 90), (1_000, 120), (1_999, 120), (2_000, 120), (3_000, 110), (4_000, 100),
    (5_000, 110), (6_000, 100), (7_000, 90), (8_000, 100), (60_000, 100),
  ])
  func `A face is where its path says`(_ milliseconds: Int64, _ degrees: Double) {
    let place = Self.usual.place(at: .zero + .milliseconds(milliseconds))
    #expect(abs(place.degrees - degrees) < 1e-9)
  }

  @Test func `A jump has two corners at the same time`() {
    let corners = Self.usual.corners(until: .zero + .seconds(1))
    #expect(corners.map { $0.degrees } == [90, 90, 120])
    #expect(corners.map { ($0.time - Instant.zero).seconds } == [0, 1, 1])
  }

  @Test func `The corners are in thousandths of a degree`() {
    let path = Self.path([
      .init(.sine(degrees: 20, period: .seconds(3)), lasting: .seconds(3)),
      .init(.walk(speed: 10), lasting: .seconds(3)),
    ])
    let corners = path.corners(until: .zero + .seconds(6))
    #expect(corners.count > 300)
    for corner in corners {
      let degrees = corner.degrees!
      #expect(Double(Int((degrees * 1_000).rounded())) / 1_000 == degrees)
      #expect(abs(path.place(at: corner.time).degrees - degrees) < 0.000_501)
    }
  }

  @Test func `A hidden face has no angle, and stays where it is`() {
    var hidden = FacePath.Part(.ramp(to: 110), lasting: .seconds(2))
    hidden.isHidden = true
    let path = Self.path([hidden, .init(.stand, lasting: .seconds(1))])
    #expect(path.corners(until: .zero + .seconds(3)).map { $0.degrees } == [nil, nil, 110, 110])
    let place = path.place(at: .zero + .seconds(1))
    #expect(place.isHidden && place.degrees == 100)
  }

  @Test func `A distance changes evenly over its part`() {
    var part = FacePath.Part(.stand, lasting: .seconds(2))
    part.distance = 0.5
    let path = Self.path([part])
    #expect(path.place(at: .zero + .seconds(1)).distance == 1)
    #expect(path.place(at: .zero + .seconds(9)).distance == 0.5)
  }

  @Test(arguments: [2.0, 10, 40]) func `A walk has about its speed, and turns back`(
    _ speed: Double
  ) {
    let path = Self.path([.init(.walk(speed: speed), lasting: .seconds(600))])
    let corners = path.corners(until: .zero + .seconds(600)).compactMap { $0.degrees }
    #expect(corners.allSatisfy { (15...165).contains($0) })
    let squares = zip(corners, corners.dropFirst()).map { ($1 - $0) * ($1 - $0) * 100 }
    let found = (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    #expect(found > speed * 0.7 && found < speed * 1.3)
  }

  @Test func `Between two corners the way is a straight line to within a hundredth of a degree`() {
    let corners = Self.usual.corners(until: .zero + .seconds(8))
    for (a, b) in zip(corners, corners.dropFirst()) where b.time > a.time {
      let middle = a.time + .nanoseconds((b.time - a.time).nanoseconds / 2)
      let straight = (a.degrees! + b.degrees!) / 2
      #expect(abs(Self.usual.place(at: middle).degrees - straight) < 0.01)
    }
  }
}
