package import NIOCore
package import Turret

extension Instant {
  /// This computer's monotonic clock, which the event loop uses.
  package static var uptime: Instant {
    Instant(nanoseconds: Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
  }
}

extension TimeAmount {
  package init(_ interval: Interval) { self = .nanoseconds(interval.nanoseconds) }
}
