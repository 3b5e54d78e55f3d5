/// The drawing game's gate: open if the required label is confident enough, however many others
/// score higher. If the label occurs more than once, its highest confidence counts.
public struct Gate: Hashable, Sendable {
  public var label: String
  /// The minimum confidence, 0...1.
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

extension Gate {
  /// The state of the gate in a frame.
  public enum Reading: Hashable, Sendable {
    /// The frame has no labels at all; the player must be told.
    case noResult
    /// There are labels, but not the required one.
    case absent
    /// The label is present but not confident enough; its confidence.
    case below(Double)
    /// The label is present and confident enough; its confidence.
    case open(Double)

    public var isOpen: Bool { if case .open = self { true } else { false } }
  }
}
