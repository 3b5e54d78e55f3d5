/// The part of the upright picture that a detector sees.
public enum Crop: String, Hashable, Sendable, CaseIterable {
  /// All of it.
  case none
  /// The largest square at its centre.
  case square
}
