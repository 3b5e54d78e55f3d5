/// Takes observations out, and leaves the order of the others as it was.
public protocol ObservationFilter: Hashable, Sendable {
  func callAsFunction(_ found: [Observation]) -> [Observation]
}
