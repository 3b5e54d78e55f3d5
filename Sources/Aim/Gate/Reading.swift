extension Gate {
  /// What the gate sees in a frame.
  public enum Reading: Hashable, Sendable {
    /// Nothing in the frame has a label at all: the player is to be told.
    case noResult
    /// There are labels, but not the asked-for one.
    case absent
    /// It is there, not confident enough; its confidence.
    case below(Double)
    /// It is there and confident enough; its confidence.
    case open(Double)

    public var isOpen: Bool {
      if case .open = self { true } else { false }
    }
  }
}
