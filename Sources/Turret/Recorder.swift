/// One output and its instant, in whole microseconds.
package struct Observation: Hashable, Sendable {
  package var time: Instant
  package var output: Output
}

/// Records a board's outputs and, on request, the fate of every byte.
///
/// Outputs are stamped in whole microseconds, as are bytes that arrive through a connection.
package struct Recorder: Observer, Hashable, Sendable {
  /// The outputs since the last drain, in order.
  package private(set) var outputs: [Observation] = []
  /// The fates of the bytes; nil unless requested.
  package private(set) var ledger: Ledger?

  package init(ledger: Ledger? = nil) {
    self.ledger = ledger
  }

  /// Discards the outputs.
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
