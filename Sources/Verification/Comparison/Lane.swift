import Traces
import Turret

/// The two sequences of one kind of output, compared index by index as they come.
struct Lane: Sendable {
  /// Whether this kind is compared.
  enum Status: Hashable {
    /// As soon as the trace expects one.
    case undecided
    case compared
    case ignored
  }

  var status: Status
  /// Expected and not yet found, or found and not yet expected; one of the two is empty until the
  /// sequences have parted.
  var expected = FIFO<Expectation>()
  var found = FIFO<Event>()
  /// Pairs within the tolerance.
  var matched = 0
  /// Takes over when the sequences have parted.
  var aligner: Aligner?
}
