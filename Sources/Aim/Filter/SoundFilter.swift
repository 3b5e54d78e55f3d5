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
public struct SoundFilter: ObservationFilter {
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
