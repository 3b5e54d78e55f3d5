extension ATmega328P {
  /// The loop in which the program last waited, and how many attempts to skip have failed in a row.
  struct WaitingMemory: Sendable {
    var loop: PollLoop?
    var failures = 0
    /// Whether `ChipEvent.stuck` has been reported since the last restart.
    var hasReportedStuck = false
  }

  /// Shorter waits, in cycles, are not worth skipping.
  private static let waitMin: UInt64 = 600
  /// After this many failed attempts, only one in sixteen is made.
  private static let patience = 4

  /// Skips the iterations of a wait loop that end by `deadline`, before which no event is due. The
  /// resulting state is exactly what executing them would have produced.
  mutating func skipWaiting(until deadline: UInt64) {
    guard deadline > core.cycle + Self.waitMin else { return }
    if waiting.value.failures > Self.patience {
      waiting.value.failures += 1
      guard waiting.value.failures % 16 == 0 else { return }
    }
    let memory = waiting.value
    var found: PollLoop?
    withInterpreter { interpreter, core, peripherals in
      let skipper = WaitLoopSkipper(interpreter: interpreter, deadline: deadline)
      found = skipper.skip(from: memory.loop, &core, &peripherals)
    }
    waiting.value.loop = found ?? memory.loop
    waiting.value.failures = found == nil ? memory.failures + 1 : 0
  }
}
