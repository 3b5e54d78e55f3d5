/// How a place becomes an angle.
public enum Mapping: String, Hashable, Sendable, CaseIterable {
  /// `LinearAngle`, in the view.
  case linear
  /// `FieldOfViewAngle`, in the upright picture.
  case fov
}
