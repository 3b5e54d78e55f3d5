/// Drops what is less confident than `least`; exactly so much stays. The object detection app
/// begins with 0.4.
public struct ConfidenceFilter: ObservationFilter {
  /// 0...1.
  public var least: Double

  public init(least: Double) { self.least = least }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter { $0.confidence >= least }
  }
}
