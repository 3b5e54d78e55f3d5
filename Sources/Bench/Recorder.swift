package import Traces
package import Turret

/// Takes down what a device does: the outputs, stamped in whole microseconds, and, where asked for,
/// what becomes of every byte.
package struct Recorder: Observer, Sendable {
  /// The outputs since they were last drained, in order.
  package private(set) var outputs: [Event] = []
  /// The fates of the bytes; nil where nobody asked.
  package private(set) var ledger: Ledger?

  package init(keepsLedger: Bool = false) {
    ledger = keepsLedger ? Ledger() : nil
  }

  /// Forgets the outputs.
  @inline(__always)
  package mutating func drain() { outputs.removeAll(keepingCapacity: true) }

  package mutating func put(_ output: Output, at instant: Instant) {
    outputs.append(Event(instant.roundedUpToMicrosecond, output))
    if case .lost(_, let why) = output { ledger?.lost(Fate(why)) }
  }

  package mutating func arrived(_ byte: UInt8, at instant: Instant) {
    ledger?.arrived(byte, at: instant)
  }

  package mutating func took(_ fate: Fate, at instant: Instant, endedScan: Bool) {
    ledger?.took(fate, at: instant, endedScan: endedScan)
  }

  package mutating func abandonedNumber() { ledger?.abandonedNumber() }

  package mutating func clearedRing() { ledger?.clearedRing() }
}
