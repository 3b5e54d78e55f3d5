/// What became of every byte. Each has exactly one fate.
package struct Ledger: Hashable, Sendable {
  /// Why a program was not able to receive a byte.
  package enum Deafness: Hashable, Sendable {
    case bootloader
    /// The program's UART was off, or was turned on while the byte was on the line; or it was
    /// turned off before the program had taken the byte.
    case portClosed
    /// The UART's clock was stopped.
    case asleep
    /// The UART was in multi-processor mode, and the byte was no address.
    case notAddressed
  }

  package struct Entry: Hashable, Sendable {
    package var byte: UInt8
    /// When its stop bit ended.
    package var arrived: Instant
    /// When the sketch took it; nil if it never did.
    package var taken: Instant?
    package var fate: Fate
    package var endedScan: Bool
    /// The number, from 1, of the command it belonged to; nil if it belonged to none.
    package var command: Int?
    /// Why the program did not receive it, if its fate is `booting` or `cleared`; nil if that is
    /// not known, or if the board restarted.
    package var deafness: Deafness?

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

  /// Which entries are kept, so that the memory for a long session is bounded.
  private struct Limit: Hashable, Sendable {
    /// How many of the first are kept, of those that arrived at `from` or later, and how many of
    /// the most recent.
    var first: Int
    var last: Int
    var from = Instant.zero
    /// Whether the fates of the others are counted.
    var countsOthers: Bool
  }

  /// How many bytes are listed one by one, of a session that is explained.
  package static let listedMax = 400_000

  /// The entries in order of arrival: all of them, only the most recent, or only the first and the
  /// most recent.
  package private(set) var entries: [Entry] = []
  /// The fates of the bytes that are not listed, if they are counted.
  package private(set) var unlisted: [Fate: Int] = [:]
  /// When the first byte arrived that is not listed because there were too many; nil if there is
  /// none.
  package private(set) var listEnd: Instant?
  /// The first entry that can still be waiting.
  private var oldest = 0
  /// Commands begun so far.
  package private(set) var commands = 0
  package private(set) var arrivals = 0
  /// Nil to keep all entries.
  private let limit: Limit?
  /// Whether the fates are derived from a program's reads rather than from a model.
  package let followsReads: Bool
  /// The first entry that the program can still read from its UART.
  private var unread = 0

  package init(followsReads: Bool = false) {
    limit = nil
    self.followsReads = followsReads
  }

  /// Creates a ledger of a session that is explained: the first `count` bytes that arrive at `from`
  /// or later are listed, and the fates of the others are counted. See `dropUnlisted`.
  package init(listing count: Int, from: Instant = .zero, followsReads: Bool = false) {
    limit = Limit(first: count, last: 4_096, from: from, countsOthers: true)
    self.followsReads = followsReads
  }

  /// Creates a ledger that keeps at least the last `kept` entries, and at most twice as many.
  /// `kept` must be greater than the number of bytes that can wait on a board.
  package init(keeping kept: Int) {
    limit = Limit(first: 0, last: kept, countsOthers: false)
    followsReads = false
  }

  package mutating func arrived(_ byte: UInt8, at instant: Instant) {
    if let limit, entries.count >= limit.first + 2 * limit.last { shorten(limit) }
    arrivals += 1
    entries.append(Entry(byte: byte, arrived: instant, fate: .waiting))
  }

  /// Forgets the first entries of a ledger without a limit. None of them can be waiting.
  package mutating func dropFirst(_ count: Int) {
    entries.removeFirst(count)
    oldest = max(0, oldest - count)
    unread = max(0, unread - count)
  }

  /// Removes entries that are neither among the first nor the most recent.
  private mutating func shorten(_ limit: Limit) {
    let end = entries.count - limit.last
    var range = limit.first..<end
    if entries[0].arrived < limit.from {
      range = 0..<(entries[..<end].firstIndex { $0.arrived >= limit.from } ?? end)
    } else if limit.countsOthers, listEnd == nil {
      listEnd = entries[range.lowerBound].arrived
    }
    if limit.countsOthers {
      for entry in entries[range] { unlisted[entry.fate, default: 0] += 1 }
    }
    entries.removeSubrange(range)
    func moved(_ index: Int) -> Int {
      index < range.lowerBound ? index : max(range.lowerBound, index - range.count)
    }
    oldest = moved(oldest)
    unread = moved(unread)
  }

  /// Counts the bytes after the listed ones if there were too many, at the end of the session. The
  /// command at the end of the list is not listed either, since the rest of it may be missing.
  package mutating func dropUnlisted() {
    guard let limit, listEnd != nil else { return }
    var end = limit.first
    let first = max(0, end - 64)
    while end > first, (0x30...0x39).contains(entries[end - 1].byte) { end -= 1 }
    end = max(0, end - 1)
    listEnd = entries[end].arrived
    for entry in entries[end...] { unlisted[entry.fate, default: 0] += 1 }
    entries.removeSubrange(end...)
  }

  /// The number of bytes with each fate, listed or not.
  package var fateCounts: [Fate: Int] {
    var counts = unlisted
    for entry in entries { counts[entry.fate, default: 0] += 1 }
    return counts
  }

  /// Marks the byte that has just arrived as lost.
  mutating func lost(_ fate: Fate, _ deafness: Deafness? = nil) {
    // The byte arrived before the ledger began.
    guard !entries.isEmpty else { return }
    entries[entries.count - 1].fate = fate
    entries[entries.count - 1].deafness = deafness
  }

  mutating func took(_ fate: Fate, at instant: Instant, endedScan: Bool) {
    while oldest < entries.count, entries[oldest].fate != .waiting { oldest += 1 }
    // The byte arrived before the ledger began.
    guard oldest < entries.count else { return }
    entries[oldest].fate = fate
    entries[oldest].taken = instant
    entries[oldest].endedScan = endedScan
    switch fate {
    case .letter:
      commands += 1
      entries[oldest].command = commands
    case .digit, .terminator, .swallowed, .skipped, .abandoned:
      entries[oldest].command = commands
    case .junk, .purged, .ringFull, .uartOverrun, .parity, .booting, .cleared, .waiting, .taken,
      .arrived, .wireLost, .adapterLost:
      break
    }
    oldest += 1
  }

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
    unread = entries.count
  }

  // MARK: Reads

  /// Notes that the program read the oldest byte in its UART.
  mutating func readUART() {
    while unread < entries.count, entries[unread].fate != .waiting { unread += 1 }
    if unread < entries.count { unread += 1 }
  }

  /// Marks the byte that was last read from the UART as lost.
  mutating func lostRead(_ fate: Fate, _ deafness: Deafness? = nil) {
    guard unread > 0 else { return }
    entries[unread - 1].fate = fate
    entries[unread - 1].deafness = deafness
    entries[unread - 1].taken = nil
  }

  /// Notes that the UART holds `count` bytes. If more have arrived and were not read, the program
  /// discarded the oldest of them by turning the receiver off.
  mutating func keepUnread(_ count: Int) {
    var surplus = entries[unread...].count { $0.fate == .waiting } - count
    while surplus > 0, unread < entries.count {
      if entries[unread].fate == .waiting {
        entries[unread].fate = .cleared
        entries[unread].deafness = .portClosed
        surplus -= 1
      }
      unread += 1
    }
  }

  /// Marks the bytes that were read from the UART and not taken as lost: the program emptied its
  /// ring.
  mutating func clearReads() {
    for index in oldest..<max(oldest, unread) where entries[index].fate == .waiting {
      entries[index].fate = .cleared
      entries[index].deafness = .portClosed
    }
    oldest = max(oldest, unread)
  }

  /// Marks the oldest byte that was read from the UART as taken.
  mutating func tookRead(at instant: Instant) {
    while oldest < unread, entries[oldest].fate != .waiting { oldest += 1 }
    guard oldest < unread else { return }
    entries[oldest].fate = .taken
    entries[oldest].taken = instant
    oldest += 1
  }

  /// Adds bytes that never reached the board, in order of time. Each takes its place among those
  /// that did.
  package mutating func insert(_ lost: [(time: Instant, byte: UInt8, fate: Fate)]) {
    guard !lost.isEmpty else { return }
    var all: [Entry] = []
    var next = 0
    for loss in lost {
      if let listEnd, loss.time >= listEnd {
        unlisted[loss.fate, default: 0] += 1
        continue
      }
      while next < entries.count, entries[next].arrived <= loss.time {
        all.append(entries[next])
        next += 1
      }
      all.append(Entry(byte: loss.byte, arrived: loss.time, fate: loss.fate))
    }
    entries = all + entries[next...]
  }

  /// Marks bytes that a trace lists as lost. Each loss is assigned to the latest byte of its value
  /// that has arrived by then and is not older than a byte already marked. Losses after the listed
  /// bytes are counted.
  package mutating func markLost(_ losses: [(time: Instant, byte: UInt8, fate: Fate)]) {
    var open = 0
    var candidates: [Int] = []
    for loss in losses {
      if let listEnd, loss.time >= listEnd {
        unlisted[.arrived, default: 0] -= 1
        unlisted[loss.fate, default: 0] += 1
        continue
      }
      while open < entries.count, entries[open].arrived.roundedUpToMicrosecond <= loss.time {
        candidates.append(open)
        open += 1
      }
      guard let index = candidates.lastIndex(where: { entries[$0].byte == loss.byte }) else {
        continue
      }
      entries[candidates[index]].fate = loss.fate
      entries[candidates[index]].taken = nil
      // A byte is lost soon after its arrival.
      candidates.removeSubrange(...index)
    }
  }
}

/// What became of one byte that was sent to the board. The raw value is what `explain` prints.
package enum Fate: String, Hashable, Sendable, CaseIterable {
  case letter
  /// Part of a number.
  case digit
  /// The `.` that ended a number.
  case terminator
  /// Any other byte that ended a number and was lost with it.
  case swallowed
  /// 0xFF inside a number.
  case skipped
  /// An unknown byte, taken on its own.
  case junk
  case purged
  case abandoned
  /// Lost before the sketch took it: 63 bytes were waiting.
  case ringFull = "ring-full"
  /// Lost before the sketch took it: the UART was full.
  case uartOverrun = "uart-overrun"
  /// Lost before the sketch took it: its parity was wrong.
  case parity
  /// Lost before the sketch took it: the bootloader owned the line, or the program's UART was
  /// off or stopped or took only addresses.
  case booting
  /// Discarded from the ring when the board restarted.
  case cleared
  /// Lost before the board: on the wire or in the network.
  case wireLost = "wire-lost"
  /// Lost before the board: in the adapter between the computer and the board.
  case adapterLost = "adapter-lost"
  case waiting
  /// Taken by a program about which nothing else is known.
  case taken
  /// Arrived at a board that does not show whether its program took it.
  case arrived

  /// Whether the byte never reached the board.
  package var isBeforeBoard: Bool { self == .wireLost || self == .adapterLost }

  package init(_ loss: Output.Loss) {
    switch loss {
    case .ringFull: self = .ringFull
    case .uartOverrun: self = .uartOverrun
    case .parity: self = .parity
    case .booting: self = .booting
    }
  }
}
