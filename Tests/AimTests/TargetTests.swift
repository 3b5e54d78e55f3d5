import Aim
import Testing

@Suite struct TargetTests {
  /// A face with a side and a centre.
  static func face(_ x: Double, _ y: Double = 0.5, side: Double) -> Observation {
    Observation(.face, box: Box(x - side / 2, y - side / 2, side, side))
  }

  /// The index of the chosen face in each frame.
  static func chosen(_ frames: [[Observation]], stick: Double?) -> [Int?] {
    var choice = TargetChoice(stick: stick)
    return frames.map { found in choice.choose(from: found).flatMap(found.firstIndex) }
  }

  /// Left and right. The left area is 0.04; the right one is smaller, a little bigger, then clearly
  /// bigger.
  static let swapping = [0.1, 0.21, 0.215, 0.22, 0.21, 0.19, 0.18, 0.1].map {
    [face(0.25, side: 0.2), face(0.75, side: $0)]
  }

  /// The ratios of area are 0.25, 1.1025, 1.155625, 1.21, 1.1025, 0.9025, 0.81, 0.25; the left face
  /// is more than 1.2 times as big as the right one below 0.8333.
  @Test(
    arguments: [
      (nil, [0, 1, 1, 1, 1, 0, 0, 0]), (1, [0, 1, 1, 1, 1, 0, 0, 0]),
      (1.2, [0, 0, 0, 1, 1, 1, 0, 0]), (1.3, [0, 0, 0, 0, 0, 0, 0, 0]),
    ] as [(Double?, [Int?])])
  func `Faces that swap sizes change the target only beyond the stick factor`(
    stick: Double?, chosen: [Int?]
  ) {
    #expect(Self.chosen(Self.swapping, stick: stick) == chosen)
    let reversed = Self.chosen(Self.swapping.map { $0.reversed() }, stick: stick)
    #expect(reversed == chosen.map { index in index.map { 1 - $0 } })
  }

  @Test func `A target does not change at exactly the required ratio`() {
    let left = Observation(.face, box: Box(0, 0, 0.25, 0.25))
    let twice = Observation(.face, box: Box(0.5, 0, 0.5, 0.25))
    #expect(Self.chosen([[left], [left, twice]], stick: 2) == [0, 0])
    #expect(Self.chosen([[left], [left, twice]], stick: 1.99) == [0, 1])
  }

  @Test func `A target is followed as it moves, and forgotten when it is gone`() {
    let walk = (0..<8).map { Self.face(0.1 + 0.05 * Double($0), side: 0.2) }
    let other = Self.face(0.8, side: 0.21)
    #expect(
      Self.chosen([[walk[0]]] + walk.dropFirst().map { [other, $0] }, stick: 1.2)
        == [0] + Array(repeating: 1, count: 7))
    // After an empty frame, or one without the target, the biggest is chosen again.
    #expect(Self.chosen([[walk[0]], [], [other, walk[0]]], stick: 1.2) == [0, nil, 0])
    #expect(Self.chosen([[walk[0]], [other], [other, walk[0]]], stick: 1.2) == [0, 0, 0])
  }

  @Test func `A different kind or label at the same place is a different target`() {
    let cat = Observation(.object, box: Box(0, 0, 0.5, 0.5), label: "cat")
    let dog = Observation(.object, box: Box(0, 0, 0.5, 0.5), label: "dog")
    let big = Observation(.object, box: Box(0.5, 0, 0.5, 0.55), label: "cow")
    #expect(Self.chosen([[cat], [cat, big]], stick: 1.2) == [0, 0])
    #expect(Self.chosen([[cat], [dog, big]], stick: 1.2) == [0, 1])
  }

  /// Each wins against the next, in either order.
  @Test func `Ties are broken by a fixed ranking`() {
    let ranked = [
      Observation(.face, box: Box(0.5, 0.5, 0.5, 0.5), confidence: 0.1),
      Observation(.face, box: Box(0.5, 0.5, 0.25, 0.5), confidence: 0.9),
      Observation(.face, box: Box(0, 0.25, 0.25, 0.5), confidence: 0.8),
      Observation(.face, box: Box(0.25, 0, 0.25, 0.5), confidence: 0.8),
      Observation(.face, box: Box(0.25, 0.25, 0.25, 0.5), confidence: 0.8),
      Observation(.face, box: Box(0.25, 0.25, 0.5, 0.25), confidence: 0.8),
      Observation(.object, box: Box(0.25, 0.25, 0.5, 0.25), confidence: 0.8),
      Observation(.object, box: Box(0.25, 0.25, 0.5, 0.25), confidence: 0.8, label: ""),
      Observation(.object, box: Box(0.25, 0.25, 0.5, 0.25), confidence: 0.8, label: "cat"),
      Observation(.face, box: Box(0, 0, 0.25, 0.25), confidence: .nan),
      Observation(.face, box: Box(.nan, 0, 0.25, 0.25)),
    ]
    for (place, one) in ranked.enumerated().dropLast(2) {
      #expect(!Ranking.isBigger(one, than: one))
      for other in ranked[(place + 1)...] {
        #expect(Ranking.isBigger(one, than: other))
        #expect(!Ranking.isBigger(other, than: one))
        #expect(Self.chosen([[other, one]], stick: nil) == [1])
      }
    }
  }

  @Test func `Equal boxes are distinguished by corners and landmarks`() {
    let corners = [0.1, 0.2].map {
      Observation(.rectangle, box: .unit, corners: [Point($0, 0)])
    }
    #expect(Ranking.isBigger(corners[0], than: corners[1]))
    #expect(!Ranking.isBigger(corners[1], than: corners[0]))
    let noses = [0.1, 0.2].map {
      Observation(.face, box: .unit, landmarks: ["nose": [Point($0, 0)]])
    }
    #expect(Ranking.isSurer(noses[0], than: noses[1]))
    #expect(!Ranking.isSurer(noses[1], than: noses[0]))
    let eye = Observation(.face, box: .unit, landmarks: ["eye": [Point(0.9, 0)]])
    #expect(Ranking.isBigger(eye, than: noses[0]))
  }

  @Test func `An observation without a box is never a target`() {
    #expect(Self.chosen([[Observation(.class, box: nil, label: "cat")]], stick: 1.2) == [nil])
  }
}
