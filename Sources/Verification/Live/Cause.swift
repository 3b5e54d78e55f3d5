/// The event from which an output is timed.
enum Cause: Hashable {
  /// The start of the sketch: 0 at the session's start, n after the n-th reset.
  case start(Int)
  /// A byte, counted from 0 in the order of arrival at the board.
  case byte(Int)
}
