/// Drops what has no box or one lower than `least`; exactly so much stays.
public struct HeightFilter: ObservationFilter {
  /// Share of the picture's height, 0...1.
  public var least: Double

  public init(least: Double) { self.least = least }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter { ($0.box?.height ?? -1) >= least }
  }
}
