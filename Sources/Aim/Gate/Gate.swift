/// The drawing game's gate: open if the asked-for label is at least so confident, however many
/// others score higher. Of a label that is there more than once the surest counts.
public struct Gate: Hashable, Sendable {
  public var label: String
  /// 0...1; exactly so much opens.
  public var least: Double

  public init(label: String, least: Double) {
    self.label = label
    self.least = least
  }

  public func callAsFunction(_ found: [Observation]) -> Reading {
    var any = false
    var best: Double?
    for observation in found where observation.label != nil {
      any = true
      guard observation.label == label, observation.confidence.isFinite else { continue }
      best = max(best ?? observation.confidence, observation.confidence)
    }
    guard let best else { return any ? .absent : .noResult }
    return best >= least ? .open(best) : .below(best)
  }
}
