package import Logging
package import Sketches

/// Decides when refusals are logged: the first one immediately, then at most one line per second.
/// The refusals of one second share one line, with their number. The time is passed in.
package struct RefusalLines: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    /// The latest of them.
    package var last: RefusedConnection
    /// Their number, by status.
    package var counts: [Int: Int]

    package var total: Int { counts.values.reduce(0, +) }
  }

  package static let period = Interval.seconds(1)

  /// Refusals that are not yet logged.
  private var waiting: Line?
  private var next = Instant.zero

  /// When `expire` must be called; nil if nothing waits.
  package var due: Instant? { waiting == nil ? nil : next }

  /// Returns the line to write now; nil if there is none.
  package mutating func add(_ refused: RefusedConnection, at now: Instant) -> Line? {
    var counts = waiting?.counts ?? [:]
    counts[refused.status, default: 0] += 1
    waiting = Line(last: refused, counts: counts)
    return expire(at: now)
  }

  /// Returns the line that is due; nil if there is none.
  package mutating func expire(at now: Instant) -> Line? {
    guard waiting != nil, now >= next else { return nil }
    next = now + Self.period
    return waiting.take()
  }

  /// Returns the waiting line, because no other will follow.
  package mutating func finish() -> Line? { waiting.take() }
}

extension RefusalLines.Line {
  /// The latest refusal, and the number of refusals.
  package var sentence: String {
    let others = total == 1 ? "" : ", and \(total - 1) more"
    return "refused a connection from \(last.address)\(others): \(last.why)"
  }

  /// The latest refusal. If there were others, `refused` is the number of all of them, and
  /// `status-503` is the number with one status, if they differ.
  package var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [
      "from": "\(last.address)", "status": "\(last.status)", "why": "\(last.why)",
    ]
    if let path = last.path { metadata["path"] = "\(path)" }
    if total > 1 { metadata["refused"] = .stringConvertible(total) }
    if counts.count > 1 {
      for (status, count) in counts { metadata["status-\(status)"] = .stringConvertible(count) }
    }
    return metadata
  }
}
