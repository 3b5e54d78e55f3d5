extension Observation {
  /// The kind of detector. The raw values are those of the observation format.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case face, rectangle, object
    /// A label for the whole picture, without a box.
    case `class`
  }
}
