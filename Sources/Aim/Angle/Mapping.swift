/// How a position is converted to an angle.
public enum Mapping: String, Hashable, Sendable, CaseIterable {
  /// `LinearAngle`, in the view.
  case linear
  /// `FieldOfViewAngle`, in the upright picture.
  case fov
}
