// Each filter removes observations and keeps the others in their order.

/// Keeps only observations that can be aimed at. It is the first filter, so the others never
/// receive invalid numbers.
///
/// - An observation with a number that is NaN or infinite (confidence, box, corner, landmark) is
///   removed.
/// - An observation is removed if its box has no area or a negative size, is wholly outside the
///   picture, or extends further beyond it than the picture is wide or high.
/// - A box across the edge is kept as it is, as in the face-tracking app. Its middle, which can be
///   outside the picture, is the target.
/// - A confidence below 0 counts as 0, one above 1 as 1.
/// - An observation other than a class needs a box; a class loses its box if it has one.
public struct SoundFilter: Hashable, Sendable {
  public init() {}

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    // Most frames are already sound, so avoid copying them.
    found.allSatisfy(isSound) ? found : found.compactMap(sound)
  }

  private func isSound(_ observation: Observation) -> Bool {
    guard observation.kind != .class, observation.corners.isEmpty, observation.landmarks.isEmpty,
      observation.confidence >= 0, observation.confidence <= 1, let box = observation.box
    else { return false }
    return box.isPlausible
  }

  private func sound(_ observation: Observation) -> Observation? {
    guard observation.confidence.isFinite,
      observation.corners.allSatisfy({ $0.isFinite }),
      observation.landmarks.values.allSatisfy({ $0.allSatisfy { $0.isFinite } })
    else { return nil }
    var result = observation
    result.confidence = min(max(observation.confidence, 0), 1)
    if observation.kind == .class {
      result.box = nil
      return result
    }
    guard observation.box?.isPlausible == true else { return nil }
    return result
  }
}

/// Removes observations less confident than `least`. The object detection app defaults to 0.4.
public struct ConfidenceFilter: Hashable, Sendable {
  /// 0...1.
  public var least: Double

  public init(least: Double) { self.least = least }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter { $0.confidence >= least }
  }
}

/// Keeps only observations with exactly this label.
public struct LabelFilter: Hashable, Sendable {
  public var label: String

  public init(_ label: String) { self.label = label }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter { $0.label == label }
  }
}

/// Removes observations without a box or with a box whose height is below `least`.
public struct HeightFilter: Hashable, Sendable {
  /// A share of the picture's height, 0...1.
  public var least: Double

  public init(least: Double) { self.least = least }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter { ($0.box?.height ?? -1) >= least }
  }
}

/// Keeps boxes whose width divided by height, in pixels, is within a range, including its ends.
public struct AspectFilter: Hashable, Sendable {
  /// Width divided by height: 1 is a square, below 1 is upright.
  public var ratio: ClosedRange<Double>
  /// The size of the picture to which the boxes are normalized, in pixels.
  public var picture: Size

  public init(_ ratio: ClosedRange<Double>, picture: Size) {
    self.ratio = ratio
    self.picture = picture
  }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter {
      guard let box = $0.box, box.height > 0 else { return false }
      return ratio.contains(box.width * picture.width / (box.height * picture.height))
    }
  }
}

/// Of two observations with the same kind and label that overlap by more than `most`, removes the
/// less confident. Observations are considered from the most confident down; each is kept unless it
/// overlaps that much with one already kept. The object detection app defaults to 0.6.
///
/// Of equally confident ones the larger is kept, then the first in `Ranking`, whatever their order
/// in the list. An observation without a box overlaps with nothing.
public struct OverlapFilter: Hashable, Sendable {
  /// Intersection over union, 0...1.
  public var most: Double

  public init(most: Double) { self.most = most }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    guard found.count > 1 else { return found }
    let ranked = found.indices.sorted { Ranking.isSurer(found[$0], than: found[$1]) }
    // Keep the boxes separately: with a thousand observations, each is compared with every other.
    let boxes = found.map { $0.box }
    var kept: [Int] = []
    for index in ranked {
      guard let box = boxes[index] else {
        kept.append(index)
        continue
      }
      let isSuppressed = kept.contains { stronger in
        guard let other = boxes[stronger], other.overlap(with: box) > most else { return false }
        return isAlike(found[stronger], found[index])
      }
      if !isSuppressed { kept.append(index) }
    }
    return kept.count == found.count ? found : kept.sorted().map { found[$0] }
  }

  private func isAlike(_ one: Observation, _ other: Observation) -> Bool {
    one.kind == other.kind && one.label == other.label
  }
}
