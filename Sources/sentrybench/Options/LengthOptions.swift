import ArgumentParser
import Traces
import Turret

/// How long a trace's session may be.
struct LengthOptions: ParsableArguments {
  @Flag(help: "Accept a session of more than a day, which is otherwise refused.")
  var allowLong = false

  /// Refuses a trace that lasts more than a day from `start` on, unless that was allowed. `remedy`:
  /// what the user can do about it, a part of a sentence.
  func limit(
    _ reader: inout TraceReader, from start: Instant = .zero,
    remedy: String = "--allow-long accepts it"
  ) throws(TraceError) {
    if !allowLong { try reader.limit(to: SessionLimit(remedy: remedy), from: start) }
  }
}
