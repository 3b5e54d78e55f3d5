extension ATmega328P {
  /// Where a program waited last, and how often in a row nothing could be skipped.
  struct WaitingMemory: Sendable {
    var loop: PollLoop?
    var failures = 0
  }

  /// Shorter waits are not worth looking for.
  private static let waitMin: UInt64 = 600
  /// After so many vain attempts only one in so many times is tried again.
  private static let patience = 4

  /// Jumps over iterations of a loop that only waits, as many as end by `deadline`, before which nothing
  /// happens by itself. The state is exactly what executing them would have left.
  mutating func skipWaiting(until deadline: UInt64) {
    guard deadline > core.cycle + Self.waitMin else { return }
    if waiting.value.failures > Self.patience {
      waiting.value.failures += 1
      guard waiting.value.failures % 16 == 0 else { return }
    }
    let memory = waiting.value
    var found = WaitingMemory(loop: memory.loop, failures: memory.failures + 1)
    withInterpreter { interpreter, core, peripherals in
      let scout = LoopScout(interpreter: interpreter, deadline: deadline)
      if let loop = scout.skip(from: memory.loop, &core, &peripherals) {
        found = WaitingMemory(loop: loop, failures: 0)
      }
    }
    waiting.value = found
  }
}
