/// The part of the upright picture that a detector looks at.
public enum Crop: String, Hashable, Sendable, CaseIterable {
  /// All of it.
  case none
  /// The biggest square about its centre.
  case square
}
