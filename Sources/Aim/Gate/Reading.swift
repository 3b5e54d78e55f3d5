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

    public var isOpen: Bool {
      if case .open = self { true } else { false }
    }
  }
}
