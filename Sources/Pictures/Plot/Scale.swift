/// Maps values to pixels linearly.
struct Scale: Hashable, Sendable {
  let domain: ClosedRange<Double>
  /// The positions of the domain's bounds. `end` can be less than `start`.
  let start: Double
  let end: Double

  init(_ domain: ClosedRange<Double>, from start: Double, to end: Double) {
    self.domain = domain
    self.start = start
    self.end = end
  }

  /// Returns the position of a value. Values outside the domain are drawn at its edge.
  func callAsFunction(_ value: Double) -> Double {
    let length = domain.upperBound - domain.lowerBound
    guard length > 0 else { return start }
    let part = (min(max(value, domain.lowerBound), domain.upperBound) - domain.lowerBound) / length
    return start + part * (end - start)
  }
}
