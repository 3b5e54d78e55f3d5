package import NIOCore
import Sketches

/// Logs refusals as `RefusalLines` decides. Used only on its event loop.
package final class RefusalLog {
  private let loop: NIOIsolatedEventLoop
  private let write: (RefusalLines.Line) -> Void
  private var lines = RefusalLines()
  private var timer: Scheduled<Void>?

  package init(on loop: NIOIsolatedEventLoop, write: @escaping (RefusalLines.Line) -> Void) {
    self.loop = loop
    self.write = write
  }

  package func add(_ refused: RefusedConnection) {
    let line = lines.add(refused, at: .uptime)
    if let line { write(line) }
    schedule()
  }

  /// Logs the waiting refusals, because the server ends.
  package func flush() {
    timer?.cancel()
    timer = nil
    let line = lines.finish()
    if let line { write(line) }
  }

  private func schedule() {
    guard timer == nil, let due = lines.due else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(due.nanoseconds))
    timer = loop.scheduleTask(deadline: deadline) { [weak self] in self?.expire() }
  }

  private func expire() {
    timer = nil
    let line = lines.expire(at: .uptime)
    if let line { write(line) }
    schedule()
  }
}

/// A refused connection or request, for the log.
package struct RefusedConnection: Hashable, Sendable {
  /// The HTTP status; also used for bare TCP.
  package var status: Int
  /// `ADDRESS:PORT`.
  package var address: String
  /// The requested target, without anything that must not be logged; nil if there was no request.
  package var path: String?
  package var why: String

  package init(status: Int, address: String, path: String? = nil, why: String) {
    self.status = status
    self.address = address
    self.path = path
    self.why = why
  }
}
