/// Keeps only observations with exactly this label.
public struct LabelFilter: ObservationFilter {
  public var label: String

  public init(_ label: String) { self.label = label }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter { $0.label == label }
  }
}
