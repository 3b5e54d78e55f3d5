/// Only what can be aimed at: the first of all filters, which keeps wild numbers from the rest.
///
/// - A number that is NaN or infinite (confidence, box, corner, landmark) drops the observation.
/// - A box of no area or a negative size, wholly outside of the picture, or reaching further beyond
///   it than it is wide or high, drops it.
/// - A box over the edge stays as it is, as in the face-tracking app: its middle is aimed at, which
///   may lie outside of the picture.
/// - A confidence below 0 counts as 0, one above 1 as 1.
/// - Anything but a class needs a box; a class loses the one it may have.
public struct SoundFilter: ObservationFilter {
  public init() {}

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    // Most frames are sound as they are, and are not copied.
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
