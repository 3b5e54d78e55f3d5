import Turret

/// A sweep as the model runs it, from taking an `L` until a byte or a reset ends it.
struct Scan: Hashable {
  /// The `L`, counted from 0.
  var cause: Int
  /// When the `L` was taken.
  var begin: Instant
  /// Nil if the session ended first.
  var end: Instant?
}
