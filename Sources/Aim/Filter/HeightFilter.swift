/// Removes observations without a box or with a box whose height is below `least`.
public struct HeightFilter: ObservationFilter {
  /// A share of the picture's height, 0...1.
  public var least: Double

  public init(least: Double) { self.least = least }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter { ($0.box?.height ?? -1) >= least }
  }
}
