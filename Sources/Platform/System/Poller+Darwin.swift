#if canImport(Darwin)
  extension Poller {
    /// Darwin coalesces timers by quality of service, so there is nothing to set.
    package static func sharpenTimers() {}
  }
#endif
