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

/// Events that are handled one at a time, in the order of their arrival.
///
/// Writing to a channel, closing it or calling out can cause the next event before the present one
/// has been handled: for example, after a failed write SwiftNIO immediately reads the socket to its
/// end. Such an event waits here, so that a value is not changed while it is already being changed.
///
///     idle --put: true--> busy --next: nil--> idle
///                         busy --put: false--> busy
///
/// Public, because the compiler specializes no `package` type in other modules.
public struct Inbox<Event> {
  @usableFromInline var waiting: [Event] = []
  @usableFromInline var isHandling = false

  @inlinable public init() {}

  /// Whether an event is being handled.
  @inlinable public var isBusy: Bool { isHandling }

  /// Adds an event. Returns whether the caller must now handle what `next` returns, until that is
  /// nil. If not, a caller further up the stack does so.
  @inlinable public mutating func put(_ event: Event) -> Bool {
    waiting.append(event)
    defer { isHandling = true }
    return !isHandling
  }

  /// The event to handle now; nil if there is none, and the inbox becomes idle.
  @inlinable public mutating func next() -> Event? {
    // Usually there is only one.
    if waiting.count > 1 { return waiting.removeFirst() }
    let event = waiting.popLast()
    isHandling = event != nil
    return event
  }
}
