/// What became of every byte: each has exactly one fate.
package struct Ledger: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var byte: UInt8
    /// The end of its stop bit.
    package var arrived: Instant
    /// When the sketch had taken it; nil where it never did.
    package var taken: Instant?
    package var fate: Fate
    package var endedScan: Bool
    /// The number, from 1, of the command it belonged to; nil where none.
    package var command: Int?

    package init(
      byte: UInt8, arrived: Instant, taken: Instant? = nil, fate: Fate, endedScan: Bool = false,
      command: Int? = nil
    ) {
      self.byte = byte
      self.arrived = arrived
      self.taken = taken
      self.fate = fate
      self.endedScan = endedScan
      self.command = command
    }
  }

  /// In order of arrival; all of them, or the last.
  package private(set) var entries: [Entry] = []
  /// No entry before this one waits.
  private var oldest = 0
  /// Commands begun so far.
  package private(set) var commands = 0
  /// Bytes that have arrived so far.
  package private(set) var arrivals = 0
  /// How many entries are kept at least; nil: all.
  private let kept: Int?

  package init() { kept = nil }

  /// A ledger that keeps the last `kept` entries, and at most twice as many. It must be more than
  /// can wait on a board.
  package init(keeping kept: Int) { self.kept = kept }

  package mutating func arrived(_ byte: UInt8, at instant: Instant) {
    if let kept, entries.count >= 2 * kept {
      oldest = max(0, oldest - (entries.count - kept))
      entries.removeFirst(entries.count - kept)
    }
    arrivals += 1
    entries.append(Entry(byte: byte, arrived: instant, fate: .waiting))
  }

  /// The byte that has just arrived is lost.
  mutating func lost(_ fate: Fate) {
    // One that came in before anybody asked.
    guard !entries.isEmpty else { return }
    entries[entries.count - 1].fate = fate
  }

  mutating func took(_ fate: Fate, at instant: Instant, endedScan: Bool) {
    while entries[oldest].fate != .waiting { oldest += 1 }
    entries[oldest].fate = fate
    entries[oldest].taken = instant
    entries[oldest].endedScan = endedScan
    switch fate {
    case .letter:
      commands += 1
      entries[oldest].command = commands
    case .digit, .terminator, .swallowed, .skipped, .abandoned:
      entries[oldest].command = commands
    case .junk, .purged, .ringFull, .uartOverrun, .booting, .cleared, .waiting:
      break
    }
    oldest += 1
  }

  /// The digits of the number last begun came to nothing.
  mutating func abandonedNumber() {
    for index in entries.indices.reversed() where entries[index].command != nil {
      guard entries[index].command == commands, entries[index].fate != .letter else { return }
      if entries[index].fate == .digit { entries[index].fate = .abandoned }
    }
  }

  mutating func clearedRing() {
    for index in oldest..<entries.count where entries[index].fate == .waiting {
      entries[index].fate = .cleared
    }
    oldest = entries.count
  }
}
