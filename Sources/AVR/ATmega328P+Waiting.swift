extension ATmega328P {
  /// Where a program waited last, and how often in a row nothing could be skipped.
  struct WaitingMemory: Sendable {
    var loop: PollLoop?
    var failures = 0
    /// Whether it was told that the program waits for nothing.
    var hasToldOfStuck = false
  }

  /// Shorter waits are not worth looking for.
  private static let waitMin: UInt64 = 600
  /// After so many vain attempts only one in so many times is tried again.
  private static let patience = 4

  /// Jumps over iterations of a loop that only waits, as many as end by `deadline`, before which
  /// nothing happens by itself. The state is exactly what executing them would have left.
  mutating func skipWaiting(until deadline: UInt64) {
    guard deadline > core.cycle + Self.waitMin else { return }
    if waiting.value.failures > Self.patience {
      waiting.value.failures += 1
      guard waiting.value.failures % 16 == 0 else { return }
    }
    let memory = waiting.value
    var found: PollLoop?
    var stuck: (head: Int, cycle: UInt64)?
    withInterpreter { interpreter, core, peripherals in
      var scout = LoopScout(interpreter: interpreter, deadline: deadline)
      found = scout.skip(from: memory.loop, &core, &peripherals)
      stuck = scout.stuck
    }
    waiting.value.loop = found ?? memory.loop
    waiting.value.failures = found == nil ? memory.failures + 1 : 0
    if let stuck {
      tellOfStuck(at: UInt16(truncatingIfNeeded: stuck.head << 1), isAsleep: false, stuck.cycle)
    }
  }

  /// The CPU sleeps: it is told of if nothing but a restart can wake it.
  mutating func lookAtSleep() {
    guard core.sreg & StatusRegister.I == 0, !peripherals.canRestart else { return }
    // SLEEP is the instruction before the next one.
    tellOfStuck(at: core.byteAddress &- 2, isAsleep: true, core.cycle)
  }

  private mutating func tellOfStuck(at address: UInt16, isAsleep: Bool, _ cycle: UInt64) {
    guard !waiting.value.hasToldOfStuck else { return }
    waiting.value.hasToldOfStuck = true
    peripherals.put(.stuck(at: address, isAsleep: isAsleep), at: cycle)
  }
}
