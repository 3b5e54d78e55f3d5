/// Removes observations and keeps the others in their order.
public protocol ObservationFilter: Hashable, Sendable {
  func callAsFunction(_ found: [Observation]) -> [Observation]
}
