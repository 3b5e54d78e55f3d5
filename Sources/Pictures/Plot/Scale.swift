/// Maps values to pixels on a straight line.
struct Scale: Hashable, Sendable {
  let domain: ClosedRange<Double>
  /// Where the domain's bounds are drawn; may run backwards.
  let start: Double
  let end: Double

  init(_ domain: ClosedRange<Double>, from start: Double, to end: Double) {
    self.domain = domain
    self.start = start
    self.end = end
  }

  /// Values outside the domain are drawn at its edge.
  func callAsFunction(_ value: Double) -> Double {
    let length = domain.upperBound - domain.lowerBound
    guard length > 0 else { return start }
    let part = (min(max(value, domain.lowerBound), domain.upperBound) - domain.lowerBound) / length
    return start + part * (end - start)
  }
}
