import AVR

/// Searches for the moment at which arriving bytes wait longest.
///
/// The chip is a value: at every phase of a window, a copy of the undisturbed chip is made and
/// receives the bytes. A byte that arrives later is taken no earlier, so between two phases nothing
/// can be worse than at the first of them by more than their distance. The search is repeated
/// around the worst phases in finer steps, down to single cycles in the thorough search.
struct PhaseSearch: CustomStringConvertible {
  /// The longest time of each kind, in clock cycles, and its phase.
  struct Worst {
    var cycles: UInt64 = 0
    var phase: UInt64 = 0
  }

  /// From the arrival of any byte.
  private(set) var taken = Worst()
  private(set) var servo = Worst()
  private(set) var done = Worst()
  /// The number of copies that ran, and of those whose bytes were not all taken within 20 ms by a
  /// working chip.
  private(set) var runs = 0
  private(set) var failures = 0

  private static let narrowing: UInt64 = 8
  /// The step of the last search in clock cycles, and the number of phases around which each search
  /// is refined.
  private let finest: UInt64
  private let candidates: Int

  init(isThorough: Bool) {
    finest = isThorough ? 1 : 64
    candidates = isThorough ? 2 : 1
  }

  /// Searches a window that begins at the present state of `board`.
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

/// The longest time of each kind among some bytes, in clock cycles.
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
