/// Only what can be aimed at: the first of all filters, which keeps wild numbers from the rest.
///
/// - A number that is NaN or infinite (confidence, box, corner, landmark) drops the observation.
/// - A box of no area or a negative size, or wholly outside of the picture, drops it.
/// - A box over the edge is clipped to the picture, 0...1; landmarks stay where they were in it.
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
    return box.clipped() == box
  }

  private func sound(_ observation: Observation) -> Observation? {
    guard observation.confidence.isFinite,
      observation.corners.allSatisfy(\.isFinite),
      observation.landmarks.values.allSatisfy({ $0.allSatisfy(\.isFinite) })
    else { return nil }
    var result = observation
    result.confidence = min(max(observation.confidence, 0), 1)
    if observation.kind == .class {
      result.box = nil
      return result
    }
    guard let box = observation.box, let clipped = box.clipped() else { return nil }
    if clipped != box, !result.landmarks.isEmpty {
      let (old, new) = (WithinBox(box), WithinBox(clipped))
      result.landmarks = result.landmarks.mapValues { $0.map { new.undo(old.apply($0)) } }
    }
    result.box = clipped
    return result
  }
}
