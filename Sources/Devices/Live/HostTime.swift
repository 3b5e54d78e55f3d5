import Platform
package import Turret

/// A moment of the computer's monotonic clock. Nothing else reads a clock.
package struct HostTime: Hashable, Comparable, Sendable {
  /// Since some moment before the program began.
  package var nanoseconds: Int64

  package static var now: HostTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  package static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }
  package static func + (time: HostTime, interval: Interval) -> HostTime {
    HostTime(nanoseconds: time.nanoseconds + interval.nanoseconds)
  }
  package static func - (a: HostTime, b: HostTime) -> Interval {
    .nanoseconds(a.nanoseconds - b.nanoseconds)
  }

  /// Waits for this moment.
  package func sleep() {
    while true {
      let rest = self - .now
      guard rest > .zero else { return }
      var wait = timespec(
        tv_sec: Int(rest.nanoseconds / 1_000_000_000),
        tv_nsec: Int(rest.nanoseconds % 1_000_000_000))
      nanosleep(&wait, nil)
    }
  }

  /// Waits for this moment or until the descriptor can be read (or, if asked, written), or has no
  /// other end any more. Returns whether the descriptor is why it returns.
  package func wait(for descriptor: CInt, orWriting: Bool = false) -> Bool {
    while true {
      let rest = max(self - .now, .zero)
      // Poll counts in milliseconds; what is left of one is slept, and the port looked at after it.
      let milliseconds = CInt(clamping: rest.nanoseconds / 1_000_000)
      var polled = pollfd(
        fd: descriptor, events: Int16(orWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)
      if poll(&polled, 1, milliseconds) > 0 { return true }
      if rest == .zero { return false }
      if milliseconds == 0 { sleep() }
    }
  }
}
