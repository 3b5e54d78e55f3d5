import Logging
import Turret

/// When refusals are written to the log: the first at once, and then at most one line a second.
/// Those of one second make one line, with their number. Time is an argument.
struct RefusalLines: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    /// The newest of them.
    var last: RefusedConnection
    /// How many there were, by status.
    var counts: [Int: Int]

    var total: Int { counts.values.reduce(0, +) }
  }

  static let period = Interval.seconds(1)

  /// Refused, and not written yet.
  private var waiting: Line?
  private var next = Instant.zero

  /// When `expire` is to be called; nil: nothing waits.
  var due: Instant? { waiting == nil ? nil : next }

  /// Returns what is to be written now; nil: nothing is.
  mutating func add(_ refused: RefusedConnection, at now: Instant) -> Line? {
    var counts = waiting?.counts ?? [:]
    counts[refused.status, default: 0] += 1
    waiting = Line(last: refused, counts: counts)
    return expire(at: now)
  }

  /// Returns what is due; nil: nothing is.
  mutating func expire(at now: Instant) -> Line? {
    guard waiting != nil, now >= next else { return nil }
    next = now + Self.period
    return waiting.take()
  }

  /// Returns what waits: no line follows.
  mutating func finish() -> Line? { waiting.take() }
}

extension RefusalLines.Line {
  /// The newest refusal, and how many there were.
  var sentence: String {
    let others = total == 1 ? "" : ", and \(total - 1) more"
    return "refused a connection from \(last.address)\(others): \(last.why)"
  }

  /// The newest refusal. If there were others, `refused` is how many with it, and `status-503` how
  /// many of one status, if they differ.
  var metadata: Logger.Metadata {
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
