import Turret

/// A sweep as the model runs it: from an `L` being taken until a byte or a reset ends it.
struct Scan: Hashable {
  /// The `L`, counted from 0.
  var cause: Int
  /// When it was taken.
  var begin: Instant
  /// Nil where the session ended first.
  var end: Instant?
}
