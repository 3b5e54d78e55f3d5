import Traces
import Turret

/// The expected and the found events of one kind of output, compared by index as they arrive.
struct KindComparison: Sendable {
  /// Whether this kind is compared.
  enum Status: Hashable {
    /// Will be compared as soon as the trace expects one.
    case undecided
    case compared
    /// The sequences have diverged, and later events are not counted.
    case parted
    case ignored
  }

  var status: Status
  /// Events expected and not yet found, or found and not yet expected. One of the two is empty
  /// until the sequences diverge.
  var expected = FIFO<Expectation>()
  var found = FIFO<Event>()
  /// The number of pairs within the tolerance.
  var matched = 0
  /// Counts the events after the sequences diverge, if that is requested.
  var aligner: Aligner?
}
