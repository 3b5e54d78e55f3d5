/// Removes observations less confident than `least`. The object detection app defaults to 0.4.
public struct ConfidenceFilter: ObservationFilter {
  /// 0...1.
  public var least: Double

  public init(least: Double) { self.least = least }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter { $0.confidence >= least }
  }
}
