import Aim
import TestSupport

/// Random values for the property tests.
enum Random {
  static func point(using random: inout SeededGenerator) -> Point {
    Point(.random(in: -0.5...1.5, using: &random), .random(in: -0.5...1.5, using: &random))
  }

  static func box(using random: inout SeededGenerator) -> Box {
    Box(
      .random(in: -0.3...1.1, using: &random), .random(in: -0.3...1.1, using: &random),
      .random(in: 0.01...0.6, using: &random), .random(in: 0.01...0.6, using: &random))
  }

  /// Draws from a coarse grid, so that ties of area, confidence and overlap are common; one number
  /// in eight is extreme.
  static func observation(using random: inout SeededGenerator) -> Observation {
    let kind = Observation.Kind.allCases.randomElement(using: &random) ?? .face
    let label = ["cat", "dog", nil].randomElement(using: &random) ?? nil
    let corners = kind == .rectangle && Bool.random(using: &random) ? 4 : 0
    return Observation(
      kind,
      box: Box(
        number(using: &random), number(using: &random), number(using: &random),
        number(using: &random)),
      confidence: number(using: &random), label: label,
      corners: (0..<corners).map { _ in point(using: &random) })
  }

  private static func number(using random: inout SeededGenerator) -> Double {
    let wild = [
      Double.nan, .infinity, -.infinity, -1, 0, 1e300, -1e308, Double.leastNonzeroMagnitude, 1e18,
      .greatestFiniteMagnitude,
    ]
    if Int.random(in: 0..<8, using: &random) == 0 {
      return wild.randomElement(using: &random) ?? .nan
    }
    return Double(Int.random(in: 1...4, using: &random)) / 4
  }

  static func frame(using random: inout SeededGenerator) -> Frame {
    let count = Int.random(in: 0...6, using: &random)
    return Frame(time: 0, found: (0..<count).map { _ in observation(using: &random) })
  }

  static func camera(using random: inout SeededGenerator) -> Camera {
    Camera(
      image: Size(1920, 1080), orientation: Turning.allCases.randomElement(using: &random) ?? .up,
      mirrored: .random(using: &random), view: Size(390, 844),
      crop: Crop.allCases.randomElement(using: &random) ?? .none,
      fov: .random(in: 1...179, using: &random))
  }

  static func options(using random: inout SeededGenerator) -> AimOptions {
    var options = AimOptions()
    options.mapping = Mapping.allCases.randomElement(using: &random) ?? .linear
    options.mirror = .random(using: &random)
    options.gravity = Gravity.allCases.randomElement(using: &random) ?? .resize
    options.minConfidence = [0, 0.5].randomElement(using: &random) ?? 0
    options.maxOverlap = [nil, 0, 0.25, 0.5].randomElement(using: &random) ?? nil
    options.label = [nil, nil, "cat"].randomElement(using: &random) ?? nil
    options.require =
      [nil, nil, Gate(label: "dog", least: 0.5)].randomElement(using: &random) ?? nil
    options.stick = [nil, 1, 1.2, 2].randomElement(using: &random) ?? nil
    options.strips = [nil, nil, StripPairing()].randomElement(using: &random) ?? nil
    return options
  }
}
