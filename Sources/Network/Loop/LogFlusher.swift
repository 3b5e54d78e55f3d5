package import NIOCore
package import Platform

/// Writes the kept lines of the log periodically until its reader has caught up. It does nothing if
/// no line waits. Without it, a late line would wait for the next one.
package final class LogFlusher {
  private static let period = TimeAmount.milliseconds(50)

  private let writer: LogWriter
  private let loop: any EventLoop
  private var timer: Scheduled<Void>?
  private var isOn = true

  /// Used only on the loop.
  package init(_ writer: LogWriter, on loop: any EventLoop) {
    self.writer = writer
    self.loop = loop
    let bound = NIOLoopBound(self, eventLoop: loop)
    // The log is also written to from other threads.
    writer.whenBehind { loop.execute { bound.value.schedule() } }
    if writer.isBehind { schedule() }
  }

  /// Called at the end; releases the loop.
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
