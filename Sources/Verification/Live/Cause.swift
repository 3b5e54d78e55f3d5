/// What an output is timed from.
enum Cause: Hashable {
  /// The start of the sketch: 0 at the session's start, n after the n-th reset.
  case start(Int)
  /// A byte, counted from 0 as they reach the board.
  case byte(Int)
}
