package import Turret

// The only place that reads the monotonic clock.
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

  /// Waits for this moment, or until the descriptor can be read (or, if asked, written) or its
  /// other end is closed. Returns whether the descriptor is the reason.
  package func wait(for descriptor: CInt, orWriting: Bool = false) -> Bool {
    while true {
      let rest = max(self - .now, .zero)
      // Poll counts in milliseconds. It sleeps for what is left of one, then looks at the port.
      let milliseconds = CInt(clamping: rest.nanoseconds / 1_000_000)
      var polled = pollfd(
        fd: descriptor, events: Int16(orWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)
      if poll(&polled, 1, milliseconds) > 0 { return true }
      if rest == .zero { return false }
      if milliseconds == 0 { sleep() }
    }
  }
}
