package import Traces
package import Turret

/// How long a trace's session can be.
package struct LengthLimit: Sendable {
  private let acceptsAny: Bool

  /// - Parameter acceptsAny: whether a session of more than a day is accepted.
  package init(acceptsAny: Bool = false) { self.acceptsAny = acceptsAny }

  /// Refuses a trace that lasts more than a day from `start`, unless that is accepted. `remedy` is
  /// what the user can do about it, as part of a sentence.
  package func apply(
    to reader: inout TraceReader, from start: Instant = .zero,
    remedy: String = "--allow-long accepts it"
  ) throws(TraceError) {
    if !acceptsAny { try reader.limit(to: SessionLimit(remedy: remedy), from: start) }
  }
}
