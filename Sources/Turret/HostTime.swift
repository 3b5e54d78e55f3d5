/// A moment of the computer's monotonic clock, which `Platform` reads.
package struct HostTime: Hashable, Comparable, Sendable {
  /// Counted from an arbitrary moment before the program began.
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }
  package static func + (time: HostTime, interval: Interval) -> HostTime {
    HostTime(nanoseconds: time.nanoseconds + interval.nanoseconds)
  }
  package static func - (a: HostTime, b: HostTime) -> Interval {
    .nanoseconds(a.nanoseconds - b.nanoseconds)
  }

  /// Returns the time of a session that began at `origin`, in whole microseconds.
  package func sessionTime(since origin: HostTime) -> Instant {
    .zero + .microseconds((self - origin).nanoseconds / 1_000)
  }
}
