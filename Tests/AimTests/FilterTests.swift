import Aim
import Testing

@Suite struct FilterTests {
  @Test(
    arguments: [
      // Within, to the edge, over each edge, over all edges, just not too far.
      (Box(0.25, 0.25, 0.5, 0.5), true), (Box(0, 0, 1, 1), true),
      (Box(-0.25, 0.5, 0.5, 0.25), true),
      (Box(0.75, 0.5, 0.5, 0.25), true), (Box(0.5, -0.25, 0.25, 0.5), true),
      (Box(0.5, 0.75, 0.25, 0.5), true), (Box(-1, -1, 3, 3), true),
      // Too far, fully outside, touching, without area, negative, not a number.
      (Box(-1.01, 0, 2, 1), false), (Box(0, 0.5, 1, 1.51), false),
      (Box(-1e308, 0, 1.7e308, 1), false),
      (Box(1.5, 0, 1, 1), false), (Box(-2, 0, 1, 1), false), (Box(0, 1, 1, 1), false),
      (Box(-1, 0, 1, 1), false), (Box(0.5, 0.5, 0, 0.5), false), (Box(0.5, 0.5, -0.25, 0.5), false),
      (Box(0.5, 0.5, 0.5, -0.25), false), (Box(.nan, 0, 1, 1), false),
      (Box(0, .infinity, 1, 1), false),
      (Box(0, 0, .infinity, 1), false), (Box(0, 0, 1, .nan), false),
      (Box(1e308, 0, 1e308, 1), false),
      (Box(0.5, 0.5, 1e-200, 1e-200), false),
    ])
  func `A box over the edge stays unchanged, and an impossible box is dropped`(
    box: Box, isKept: Bool
  ) {
    let face = Observation(.face, box: box)
    #expect(SoundFilter()([face]) == (isKept ? [face] : []))
    // With landmarks it is checked in more detail.
    let marked = Observation(.face, box: box, landmarks: ["nose": [Point(0.5, 0.5)]])
    #expect(SoundFilter()([marked]) == (isKept ? [marked] : []))
  }

  @Test(
    arguments: [(-0.5, 0), (0, 0), (0.5, 0.5), (1, 1), (98, 1), (.nan, nil), (.infinity, nil)]
      as [(Double, Double?)])
  func `A confidence is clamped to its range, or its observation is dropped`(
    confidence: Double, brought: Double?
  ) {
    let found = SoundFilter()([Observation(.face, box: .unit, confidence: confidence)])
    #expect(found.map(\.confidence) == (brought.map { [$0] } ?? []))
  }

  @Test func `Only a class needs no box, and a box it has is removed`() {
    let found = SoundFilter()([
      Observation(.face, box: nil), Observation(.object, box: nil, label: "cat"),
      Observation(.class, box: nil, label: "cat"),
      Observation(.class, box: Box(.nan, 0, 0, 0), label: "dog"),
    ])
    #expect(found.map(\.label) == ["cat", "dog"])
    #expect(found.allSatisfy { $0.box == nil })
  }

  @Test func `A corner or landmark that is not finite drops its observation`() {
    let wild = [
      Observation(.rectangle, box: .unit, corners: [Point(.nan, 0)]),
      Observation(.face, box: .unit, landmarks: ["nose": [Point(0, .infinity)]]),
    ]
    #expect(SoundFilter()(wild).isEmpty)
  }

  static let three = [
    Observation(.object, box: Box(0, 0, 0.25, 0.5), confidence: 0.4, label: "cat"),
    Observation(.object, box: Box(0, 0, 0.5, 0.25), confidence: 0.39, label: "dog"),
    Observation(.face, box: Box(0, 0, 0.5, 0.5), confidence: 0.41),
  ]

  @Test func `Each filter accepts values at its limits`() {
    let all = Self.three
    #expect(ConfidenceFilter(least: 0.4)(all) == [all[0], all[2]])
    #expect(ConfidenceFilter(least: 0.4)([Observation(.face, box: .unit, confidence: .nan)]) == [])
    #expect(LabelFilter("dog")(all) == [all[1]])
    #expect(LabelFilter("Dog")(all) == [])
    #expect(HeightFilter(least: 0.5)(all) == [all[0], all[2]])
    #expect(HeightFilter(least: 0)([Observation(.class, box: nil, label: "cat")]) == [])
    // 200 x 100 pixels: the boxes are 50 x 50, 100 x 25 and 100 x 50.
    let picture = Size(200, 100)
    #expect(AspectFilter(1...2, picture: picture)(all) == [all[0], all[2]])
    #expect(AspectFilter(2...4, picture: picture)(all) == [all[1], all[2]])
    #expect(AspectFilter(2.1...3.9, picture: picture)(all) == [])
  }

  static func pair(_ other: Box, labels: (String?, String?) = ("cat", "cat")) -> [Observation] {
    [
      Observation(.object, box: Box(0, 0, 0.5, 0.5), confidence: 0.9, label: labels.0),
      Observation(.object, box: other, confidence: 0.8, label: labels.1),
    ]
  }

  /// Two boxes of width w, one moved by d, have an intersection over union of (w - d) / (w + d).
  @Test(
    arguments: [
      (Box(0.125, 0, 0.5, 0.5), 0.6, 2),  // 0.375 / 0.625 = 0.6
      (Box(0.1249, 0, 0.5, 0.5), 0.6, 1),
      (Box(0.1251, 0, 0.5, 0.5), 0.6, 2),
      (Box(0, 0, 0.5, 0.25), 0.5, 2),  // half of the other, inside it
      (Box(0, 0, 0.5, 0.2501), 0.5, 1),
      (Box(0, 0, 0.5, 0.5), 1, 2),
      (Box(0, 0, 0.5, 0.5), 0.999, 1),
      (Box(0.5, 0, 0.5, 0.5), 0, 2),  // only touches
      (Box(0.4999, 0, 0.5, 0.5), 0, 1),
    ])
  func `Boxes can overlap up to the limit and no further`(other: Box, most: Double, left: Int) {
    let both = Self.pair(other)
    #expect(OverlapFilter(most: most)(both) == Array(both.prefix(left)))
    #expect(OverlapFilter(most: most)(both.reversed()) == both.prefix(left).reversed())
  }

  @Test func `Only boxes of the same kind and label suppress each other`() {
    let box = Box(0, 0, 0.5, 0.5)
    #expect(OverlapFilter(most: 0.5)(Self.pair(box, labels: ("cat", "dog"))).count == 2)
    #expect(OverlapFilter(most: 0.5)(Self.pair(box, labels: ("cat", nil))).count == 2)
    #expect(OverlapFilter(most: 0.5)(Self.pair(box, labels: (nil, nil))).count == 1)
    let kinds = [Observation(.face, box: box), Observation(.rectangle, box: box)]
    #expect(OverlapFilter(most: 0.5)(kinds).count == 2)
  }

  @Test func `A suppressed box suppresses no other`() {
    // Each overlaps the next by a third. The first and the last do not overlap.
    let chain = [(0.0, 0.9), (0.25, 0.8), (0.5, 0.7)].map {
      Observation(.face, box: Box($0.0, 0, 0.5, 1), confidence: $0.1)
    }
    #expect(OverlapFilter(most: 0.3)(chain) == [chain[0], chain[2]])
  }

  @Test func `The bigger of equally confident boxes wins, then the one further left`() {
    let small = Observation(.face, box: Box(0, 0, 0.4, 0.5))
    let big = Observation(.face, box: Box(0, 0, 0.5, 0.5))
    let right = Observation(.face, box: Box(0.05, 0, 0.5, 0.5))
    for found in [[small, big, right], [right, small, big], [big, right, small]] {
      #expect(OverlapFilter(most: 0.5)(found) == [big])
    }
  }
}
