import NIOCore
import Turret

extension Instant {
  /// This computer's monotonic clock, which the event loop uses.
  static var uptime: Instant {
    Instant(nanoseconds: Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
  }
}

extension TimeAmount {
  init(_ interval: Interval) { self = .nanoseconds(interval.nanoseconds) }
}
