#if canImport(Darwin)
  extension Poller {
    /// Darwin gathers timers by quality of service; there is nothing to set.
    package static func sharpenTimers() {}
  }
#endif
