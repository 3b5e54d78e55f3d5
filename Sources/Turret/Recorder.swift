/// One output and its time, in whole microseconds.
package struct Observation: Hashable, Sendable {
  package var time: Instant
  package var output: Output
}

/// Takes down what a board does: the outputs, and, where asked for, what becomes of every byte.
///
/// Outputs are stamped in whole microseconds, as bytes are that come in by a door.
package struct Recorder: Observer, Hashable, Sendable {
  /// The outputs since they were last drained, in order.
  package private(set) var outputs: [Observation] = []
  /// The fates of the bytes; nil where nobody asked.
  package private(set) var ledger: Ledger?

  package init(ledger: Ledger? = nil) {
    self.ledger = ledger
  }

  /// Forgets the outputs.
  package mutating func drain() { outputs.removeAll(keepingCapacity: true) }

  package mutating func put(_ output: Output, at instant: Instant) {
    outputs.append(Observation(time: instant.roundedUpToMicrosecond, output: output))
    if ledger != nil, case .lost(_, let why) = output { ledger?.lost(Fate(why)) }
  }

  package mutating func arrived(_ byte: UInt8, at instant: Instant) {
    if ledger != nil { ledger?.arrived(byte, at: instant) }
  }

  package mutating func took(_ fate: Fate, at instant: Instant, endedScan: Bool) {
    if ledger != nil { ledger?.took(fate, at: instant, endedScan: endedScan) }
  }

  package mutating func abandonedNumber() { ledger?.abandonedNumber() }

  package mutating func clearedRing() { ledger?.clearedRing() }
}
