import Logging
import NIOCore
import Sketches

/// Logs refusals as `RefusalLines` decides. Used only on its event loop.
final class RefusalLog {
  private let loop: NIOIsolatedEventLoop
  private let write: (RefusalLines.Line) -> Void
  private var lines = RefusalLines()
  private var timer: Scheduled<Void>?

  init(on loop: NIOIsolatedEventLoop, write: @escaping (RefusalLines.Line) -> Void) {
    self.loop = loop
    self.write = write
  }

  func add(_ refused: RefusedConnection) {
    lines.add(refused, at: .uptime).map(write)
    schedule()
  }

  /// Logs the waiting refusals, because the server ends.
  func flush() {
    timer?.cancel()
    timer = nil
    lines.finish().map(write)
  }

  private func schedule() {
    guard timer == nil, let due = lines.due else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(due.nanoseconds))
    timer = loop.scheduleTask(deadline: deadline) { [weak self] in self?.expire() }
  }

  private func expire() {
    timer = nil
    lines.expire(at: .uptime).map(write)
    schedule()
  }
}

/// A refused connection or request, for the log.
struct RefusedConnection: Hashable, Sendable {
  /// The HTTP status; also used for bare TCP.
  var status: Int
  /// `ADDRESS:PORT`.
  var address: String
  /// The requested target, without anything that must not be logged; nil if there was no request.
  var path: String?
  var why: String
}

/// Decides when refusals are logged: the first one immediately, then at most one line per second.
/// The refusals of one second share one line, with their number. The time is passed in.
struct RefusalLines: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    /// The latest of them.
    var last: RefusedConnection
    /// Their number, by status.
    var counts: [Int: Int]

    var total: Int { counts.values.reduce(0, +) }
  }

  static let period = Interval.seconds(1)

  /// Refusals that are not yet logged.
  private var waiting: Line?
  private var next = Instant.zero

  /// When `expire` must be called; nil if nothing waits.
  var due: Instant? { waiting == nil ? nil : next }

  /// Returns the line to write now; nil if there is none.
  mutating func add(_ refused: RefusedConnection, at now: Instant) -> Line? {
    var counts = waiting?.counts ?? [:]
    counts[refused.status, default: 0] += 1
    waiting = Line(last: refused, counts: counts)
    return expire(at: now)
  }

  /// Returns the line that is due; nil if there is none.
  mutating func expire(at now: Instant) -> Line? {
    guard waiting != nil, now >= next else { return nil }
    next = now + Self.period
    return waiting.take()
  }

  /// Returns the waiting line, because no other will follow.
  mutating func finish() -> Line? { waiting.take() }
}

extension RefusalLines.Line {
  /// The latest refusal, and the number of refusals.
  var sentence: String {
    let others = total == 1 ? "" : ", and \(total - 1) more"
    return "refused a connection from \(last.address)\(others): \(last.why)"
  }

  /// The latest refusal. If there were others, `refused` is the number of all of them, and
  /// `status-503` is the number with one status, if they differ.
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
