package import NIOCore

/// Writes what the log has kept, now and then, until its reader has caught up; where nothing waits, it
/// does nothing. Without it a late line would wait for the next one.
package final class LogFlusher {
  private static let period = TimeAmount.milliseconds(50)

  private let writer: LogWriter
  private let loop: any EventLoop
  private var timer: Scheduled<Void>?
  private var isOn = true

  /// Used on the loop only.
  package init(_ writer: LogWriter, on loop: any EventLoop) {
    self.writer = writer
    self.loop = loop
    let bound = NIOLoopBound(self, eventLoop: loop)
    // The log is written to from other threads, too.
    writer.whenBehind { loop.execute { bound.value.schedule() } }
    if writer.isBehind { schedule() }
  }

  /// For the end; the loop is let go.
  package func stop() {
    isOn = false
    writer.whenBehind(nil)
    timer?.cancel()
    timer = nil
  }

  private func schedule() {
    guard isOn, timer == nil else { return }
    let bound = NIOLoopBound(self, eventLoop: loop)
    timer = loop.scheduleTask(in: Self.period) { bound.value.flush() }
  }

  private func flush() {
    timer = nil
    writer.flush()
    if writer.isBehind { schedule() }
  }
}
