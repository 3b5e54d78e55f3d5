import AVR

/// Looks for the moment at which bytes that begin to arrive then wait longest.
///
/// The chip is a value: from one that runs on undisturbed, a copy is taken at every phase of a
/// window and is sent the bytes. A byte that comes later is taken no earlier, so between two phases
/// nothing can be worse than at the first of them by more than their distance. Around the worst
/// phases it is looked again in finer steps, in the thorough search down to single cycles.
struct PhaseSearch: CustomStringConvertible {
  /// The longest of each kind that was found, in clock cycles, and the phases at which it was.
  struct Worst {
    var cycles: UInt64 = 0
    var phase: UInt64 = 0
  }

  /// From a byte's arrival on, of whatever bytes are sent.
  private(set) var taken = Worst()
  private(set) var servo = Worst()
  private(set) var done = Worst()
  /// How many copies were run, and how many of their bytes were not taken within 20 ms or not in a
  /// working chip.
  private(set) var runs = 0
  private(set) var failures = 0

  private static let narrowing: UInt64 = 8
  /// How fine the last look is, in clock cycles, and around how many phases each is repeated finer.
  private let finest: UInt64
  private let candidates: Int

  init(isThorough: Bool) {
    finest = isThorough ? 1 : 64
    candidates = isThorough ? 2 : 1
  }

  /// `board` is at the beginning of the window.
  mutating func look(
    from board: GuardedBoard, window: UInt64, step: UInt64, sending bytes: [UInt8]
  ) {
    var found: [(phase: UInt64, times: PhaseTimes)] = []
    var board = board
    let end = board.cycle + window
    var earlier = board
    var starts: [UInt64: GuardedBoard] = [:]
    while board.cycle < end {
      let phase = board.cycle
      starts[phase] = earlier
      earlier = board
      found.append((phase, probe(board, bytes)))
      board.run(until: phase + step)
    }
    guard step > finest else { return }
    var again: Set<UInt64> = []
    for figure in [\PhaseTimes.taken, \.servo, \.done] {
      let ordered = found.sorted { $0.times[keyPath: figure] > $1.times[keyPath: figure] }
      again.formUnion(ordered.prefix(candidates).map(\.phase))
    }
    for phase in again.sorted() {
      look(
        from: starts[phase]!, window: 2 * step, step: max(finest, step / Self.narrowing),
        sending: bytes)
    }
  }

  var description: String {
    func microseconds(_ worst: Worst) -> String {
      "\(Double(worst.cycles) / GuardedBoard.cyclesPerMicrosecond) us"
    }
    return """
      taken after at most \(microseconds(taken)), servo written after \(microseconds(servo)), done \
      after \(microseconds(done)), in \(runs) runs
      """
  }

  private mutating func probe(_ board: GuardedBoard, _ bytes: [UInt8]) -> PhaseTimes {
    var fork = board
    fork.clearTimes()
    fork.send(bytes)
    runs += 1
    guard fork.runUntilQuiet(), fork.chip.fault == nil else {
      failures += 1
      return PhaseTimes()
    }
    let times = PhaseTimes(fork.times)
    let phase = board.cycle
    taken.raise(to: times.taken, phase)
    servo.raise(to: times.servo, phase)
    done.raise(to: times.done, phase)
    return times
  }
}

extension PhaseSearch.Worst {
  mutating func raise(to other: UInt64, _ phase: UInt64) {
    if other > cycles { self = PhaseSearch.Worst(cycles: other, phase: phase) }
  }
}

/// The longest of each kind among some bytes, in clock cycles.
struct PhaseTimes {
  var taken: UInt64 = 0
  var servo: UInt64 = 0
  var done: UInt64 = 0

  init() {}

  init(_ times: [ByteTimes]) {
    taken = times.compactMap(\.takenAfter).max() ?? 0
    servo = times.compactMap(\.servoAfter).max() ?? 0
    done = times.compactMap(\.doneAfter).max() ?? 0
  }
}
