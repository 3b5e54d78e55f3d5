import ArgumentParser
import Traces
import Turret

/// Options for the length of a trace's session.
struct LengthOptions: ParsableArguments {
  @Flag(help: "Accept a session of more than a day, which is otherwise refused.")
  var allowLong = false

  /// Refuses a trace that lasts more than a day from `start`, unless that is allowed. `remedy` is
  /// what the user can do about it, as part of a sentence.
  func limit(
    _ reader: inout TraceReader, from start: Instant = .zero,
    remedy: String = "--allow-long accepts it"
  ) throws(TraceError) {
    if !allowLong { try reader.limit(to: SessionLimit(remedy: remedy), from: start) }
  }
}
