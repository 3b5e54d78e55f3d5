package import Sketches

// The monotonic clock. Event loops read the same one: `Instant.uptime`.
extension HostTime {
  package static var now: HostTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
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

  /// Waits for this moment, or until the descriptor is readable (or, if requested, writable) or its
  /// other end is closed. Returns whether the descriptor ended the wait.
  package func wait(for descriptor: CInt, orWriting: Bool = false) -> Bool {
    while true {
      let rest = max(self - .now, .zero)
      // `poll` counts in milliseconds. Sleep for the remaining fraction, then check the port.
      let milliseconds = CInt(clamping: rest.nanoseconds / 1_000_000)
      var polled = pollfd(
        fd: descriptor, events: Int16(orWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)
      if poll(&polled, 1, milliseconds) > 0 { return true }
      if rest == .zero { return false }
      if milliseconds == 0 { sleep() }
    }
  }
}
