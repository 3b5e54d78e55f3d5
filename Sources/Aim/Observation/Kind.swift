extension Observation {
  /// What sort of detector it comes from; the raw values are the words of the observation format.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case face, rectangle, object
    /// A label for the whole picture: has no box.
    case `class`
  }
}
