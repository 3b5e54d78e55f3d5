/// One output and its instant: in whole nanoseconds for the level of a pin, otherwise in whole
/// microseconds.
package struct TimedOutput: Hashable, Sendable {
  package var time: Instant
  package var output: Output

  package init(time: Instant, output: Output) {
    self.time = time
    self.output = output
  }
}

/// Records a board's outputs and, on request, the fate of every byte and the levels of its wires.
///
/// Outputs are stamped in whole microseconds, as are bytes that arrive through a connection; only
/// the levels of pins, which can change with each cycle of a chip's clock, keep their instants. The
/// sketch takes bytes in the order they arrived, so `took` refers to the oldest byte that has
/// arrived and has been neither lost nor taken.
package struct Recorder: Hashable, Sendable {
  /// The outputs since the last drain, in order.
  package private(set) var outputs: [TimedOutput] = []
  /// The pulses since the last drain that were not as the sketch had stored.
  package private(set) var twitches: [TimedTwitch] = []
  /// What the device reported since the last drain of how its program runs, in order.
  package private(set) var notes: [TimedRunNote] = []
  /// The fates of the bytes; nil unless requested.
  package private(set) var ledger: Ledger?
  /// Whether there is one, and whether it derives the fates from the program's reads. Kept here
  /// because each byte asks: a ledger is so large that looking at it copies it.
  private let hasLedger: Bool
  package let followsReads: Bool

  /// The changes of the wires since the last drain, each wire's in order; nil unless requested. A
  /// change can be in the future: all changes of a byte are recorded when it begins to be sent.
  package private(set) var wireChanges: [WireChange]?

  package init(ledger: Ledger? = nil, watchesWires: Bool = false) {
    self.ledger = ledger
    hasLedger = ledger != nil
    followsReads = ledger?.followsReads ?? false
    if watchesWires { wireChanges = [] }
  }

  package var isEmpty: Bool {
    outputs.isEmpty && twitches.isEmpty && notes.isEmpty && wireChanges?.isEmpty ?? true
  }

  package var watchesWires: Bool { wireChanges != nil }

  /// Discards the outputs, the twitches, the notes and the changes of the wires.
  package mutating func drain() {
    outputs.removeAll(keepingCapacity: true)
    if !twitches.isEmpty { twitches.removeAll() }
    if !notes.isEmpty { notes.removeAll() }
    wireChanges?.removeAll(keepingCapacity: true)
  }

  /// Forgets the fates of the first bytes. None of them can be waiting.
  package mutating func dropFates(_ count: Int) { ledger?.dropFirst(count) }

  /// Records a level, unless the wires are not watched.
  package mutating func drive(_ wire: BoardWire, _ isHigh: Bool, at instant: Instant) {
    wireChanges?.append(WireChange(time: instant, wire: wire, isHigh: isHigh))
  }

  package mutating func put(_ output: Output, at instant: Instant) {
    if case .pin = output {
      put(pin: TimedOutput(time: instant, output: output))
    } else {
      outputs.append(TimedOutput(time: instant.roundedUpToMicrosecond, output: output))
    }
    if hasLedger, !followsReads, case .lost(_, let why) = output {
      ledger?.lost(Fate(why))
    }
  }

  /// Records that a pulse that has just ended was not as the sketch had stored.
  package mutating func put(_ twitch: Twitch, at instant: Instant) {
    twitches.append(TimedTwitch(time: instant.roundedUpToMicrosecond, twitch: twitch))
  }

  package mutating func put(_ note: RunNote, at instant: Instant) {
    notes.append(TimedRunNote(time: instant.roundedUpToMicrosecond, note: note))
  }

  /// Adds the level of a pin in front of outputs whose instants were rounded up past it.
  private mutating func put(pin: TimedOutput) {
    var index = outputs.endIndex
    while index > 0, outputs[index - 1].time > pin.time { index -= 1 }
    outputs.insert(pin, at: index)
  }

  /// Records that a byte arrived: its stop bit ended. If it is lost, `put(.lost)` follows at once.
  package mutating func arrived(_ byte: UInt8, at instant: Instant) {
    if hasLedger { ledger?.arrived(byte, at: instant) }
  }

  /// Records that the sketch took the oldest waiting byte.
  package mutating func took(_ fate: Fate, at instant: Instant, endedScan: Bool) {
    if hasLedger { ledger?.took(fate, at: instant, endedScan: endedScan) }
  }

  package mutating func abandonedNumber() {
    if hasLedger { ledger?.abandonedNumber() }
  }

  /// Records that the board restarted, which discards the waiting bytes.
  package mutating func clearedRing() {
    if hasLedger { ledger?.clearedRing() }
  }

  // MARK: Reads

  /// Records that the program read the oldest byte in its UART, and whether that byte now waits in
  /// a ring that can be observed.
  package mutating func readUART(at instant: Instant, intoRing: Bool) {
    guard followsReads else { return }
    ledger?.readUART()
    if !intoRing { ledger?.tookRead(at: instant) }
  }

  /// Records that the program took the oldest byte from its ring.
  package mutating func tookFromRing(at instant: Instant) {
    if followsReads { ledger?.tookRead(at: instant) }
  }

  /// Records that the byte last read from the UART was lost.
  package mutating func lostRead(_ why: Output.Loss, _ deafness: Ledger.Deafness? = nil) {
    if followsReads { ledger?.lostRead(Fate(why), deafness) }
  }

  /// Records what became of the byte that has just arrived.
  package mutating func mark(_ fate: Fate, _ deafness: Ledger.Deafness? = nil) {
    if followsReads { ledger?.lost(fate, deafness) }
  }

  /// Records how many bytes the UART holds, so that those that it discarded are known.
  package mutating func keepUnread(_ count: Int) {
    if followsReads { ledger?.keepUnread(count) }
  }

  /// Records that the program emptied its receive ring.
  package mutating func clearReads() {
    if followsReads { ledger?.clearReads() }
  }
}
