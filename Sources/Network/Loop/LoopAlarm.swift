package import NIOCore
package import Sketches

/// One alarm on an event loop, at an instant of this computer's monotonic clock
/// (`Instant.uptime`). Used only on the loop.
package final class LoopAlarm {
  private let loop: any EventLoop
  private var next: (at: Instant, task: Scheduled<Void>)?

  package init(on loop: any EventLoop) { self.loop = loop }

  /// Sets the alarm, which replaces the previous one; nil for none. An alarm at the same instant
  /// stays as it is.
  package func set(_ instant: Instant?, ring: @escaping () -> Void) {
    guard instant != next?.at else { return }
    next?.task.cancel()
    next = instant.map { instant in
      let bound = NIOLoopBound((owner: self, ring: ring), eventLoop: loop)
      let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(instant.nanoseconds, 0)))
      let task = loop.scheduleTask(deadline: deadline) {
        let (owner, ring) = bound.value
        owner.next = nil
        ring()
      }
      return (instant, task)
    }
  }
}

extension Instant {
  /// This computer's monotonic clock, which the event loop uses.
  package static var uptime: Instant {
    Instant(nanoseconds: Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
  }
}

extension TimeAmount {
  package init(_ interval: Interval) { self = .nanoseconds(interval.nanoseconds) }
}
