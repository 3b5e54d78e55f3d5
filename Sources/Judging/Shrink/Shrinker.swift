package import Sketches
import Traces

/// The search for the smallest and simplest session that still fails: delta debugging.
///
///     var shrinker = Shrinker(session)
///     while let candidate = shrinker.next() { shrinker.take(fails: run(candidate)) }
///     use(shrinker.smallest)
///
/// It proposes a session, and learns whether that fails. It runs nothing itself, so that a model, a
/// chip or another program can judge, and the search can end at any time with what it has. Equal
/// answers lead to equal proposals.
///
/// Each proposal is smaller than the smallest session that failed so far. Of two sessions, the
/// smaller one is the first of these that decides: the one whose board starts at time 0; with fewer
/// faults; with fewer bytes; with fewer events; whose first different byte is simpler (see
/// `ByteRank`); whose times are rounder; that ends earlier; whose first different time is earlier.
///
/// First it looks for a short part of the session that fails. Then it repeats these passes until
/// none of them helps: leave out faults, runs of events, of commands and of bytes, long runs before
/// short ones and late ones before early ones; simplify the bytes; round the times; shorten the
/// gaps or put the bytes of two events into one; end earlier.
package struct Shrinker: Sendable {
  /// When the first byte is sent in a session that is made as round as possible: after the start-up
  /// of each of the bench's sketches.
  package static let start = Instant.zero + .milliseconds(1_500)
  /// In a session with at most so many parts, every run of them is left out once, not only those
  /// that halving leads to.
  private static let runsMax = 32
  /// The gaps of a session with more events than this are not shortened one by one.
  private static let gapsMax = 256
  /// The bytes of a session with more bytes than this are not simplified one by one.
  private static let valuesMax = 4_096
  /// How many events after the failure can be needed to show it.
  private static let laterMax = 8

  /// The smallest session that failed so far; nil if none has.
  package private(set) var smallest: SessionInputs?
  /// The number of sessions that were proposed.
  package private(set) var triedCount = 0

  /// Whether the bytes of an event, and the gaps between events, stay as they were.
  private let keepsBytes: Bool
  /// Longer sessions are not proposed; nil for no limit.
  private let longest: Interval?
  private let original: SessionInputs
  /// The proposal that has not been judged yet.
  private var proposal: SessionInputs?
  private var pass = Pass.parts
  private var cursor: Cursor?
  /// Where to continue if the proposal fails.
  private var afterFailure: Cursor?
  /// What can be left out in the present pass.
  private var units: [Unit] = []
  /// Whether this round of passes has found a smaller session.
  private var hasImproved = false
  /// When the failure of the original session was certain; nil if that is not known.
  private var failed: Instant?
  /// The proposals so far, as numbers, so that none is made twice.
  private var seen: Set<UInt64> = []

  private static let seenMax = 1 << 18

  /// The session is the first proposal.
  package init(_ session: SessionInputs) {
    original = session
    keepsBytes = false
    longest = nil
  }

  /// Searches in a session that is known to fail, which was certain at `failed`. It is never
  /// proposed as a whole, nor is any session longer than `longest`. Only whole events are left out,
  /// and times are rounded.
  init(_ session: SessionInputs, failedBy failed: Instant, longest: Interval) {
    original = session
    keepsBytes = true
    self.longest = longest
    self.failed = failed
    smallest = session
  }

  /// Returns the next session to judge; nil at the end of the search. If the last one was not
  /// judged, it is returned again.
  package mutating func next() -> SessionInputs? {
    if let proposal { return proposal }
    guard let smallest else {
      guard triedCount == 0 else { return nil }
      return propose(original)
    }
    while true {
      if cursor == nil { begin(smallest) }
      guard let cursor, let (candidate, failure, success) = step(smallest, cursor) else {
        if !advancePass() { return nil }
        continue
      }
      self.cursor = success
      guard let candidate, isAllowed(candidate), candidate.isSmaller(than: smallest),
        seen.insert(candidate.fingerprint).inserted
      else { continue }
      if seen.count > Self.seenMax { seen.removeAll() }
      afterFailure = failure
      return propose(candidate)
    }
  }

  /// Takes whether the proposed session fails. `instant` is when that was certain: nothing later is
  /// needed to show it; nil if that is not known.
  package mutating func take(fails: Bool, by instant: Instant? = nil) {
    guard let judged = proposal else { return }
    proposal = nil
    guard fails else { return }
    if smallest == nil {
      failed = instant
    } else {
      hasImproved = true
      cursor = afterFailure
    }
    smallest = judged
    if cursor != nil { units = Self.units(of: judged, pass) }
  }

  private mutating func propose(_ candidate: SessionInputs) -> SessionInputs {
    triedCount += 1
    proposal = candidate
    return candidate
  }

  private func isAllowed(_ candidate: SessionInputs) -> Bool {
    longest.map { candidate.end - .zero <= $0 } ?? true
  }

  // MARK: The passes

  private enum Pass: Int, CaseIterable {
    case parts, faults, events, commands, bytes, values, grains, gaps, end
  }

  /// A place in a pass. Passes go from the end to the beginning, so that what a failure changes is
  /// behind them.
  private struct Cursor {
    /// How many units are left out at once.
    var chunk = 1
    /// The end of the units, or the event, that is next.
    var position = 0
    /// Which of the changes that are possible there.
    var option = 0
  }

  /// The proposal at a cursor, nil for none, and where to continue if it fails and if it does not.
  private typealias Step = (candidate: SessionInputs?, failure: Cursor?, success: Cursor)

  private mutating func begin(_ session: SessionInputs) {
    units = Self.units(of: session, pass)
    switch pass {
    case .parts, .faults, .grains, .end: cursor = Cursor()
    case .events, .commands, .bytes:
      let isSmall = units.count <= Self.runsMax
      cursor = Cursor(
        chunk: max(1, isSmall ? units.count : units.count / 2), position: units.count)
    case .values: cursor = Cursor(position: units.count <= Self.valuesMax ? units.count : 0)
    case .gaps:
      let count = session.events.count
      cursor = Cursor(position: count <= Self.gapsMax ? count : 0)
    }
  }

  /// Moves on to the next pass. Returns false at the end of the search.
  private mutating func advancePass() -> Bool {
    cursor = nil
    afterFailure = nil
    // A session that has no short part that fails is not searched any further.
    if pass == .parts, let smallest, !isAllowed(smallest) { return false }
    repeat {
      if let next = Pass(rawValue: pass.rawValue + 1) {
        pass = next
      } else {
        guard hasImproved else { return false }
        hasImproved = false
        pass = .faults
      }
    } while keepsBytes && [.commands, .bytes, .values, .gaps].contains(pass)
    return true
  }

  /// Returns nil at the end of the pass.
  private func step(_ session: SessionInputs, _ cursor: Cursor) -> Step? {
    switch pass {
    case .parts: part(cursor)
    case .faults: withoutFault(session, cursor)
    case .events, .commands, .bytes: shortened(session, cursor)
    case .values: simplified(session, cursor)
    case .grains: rounded(session, cursor)
    case .gaps: tightened(session, cursor)
    case .end: ended(session, cursor)
    }
  }

  /// The last events up to the failure, or up to a few events after it: one, then two, four and so
  /// on, moved to the usual start; then at their own times, since a failure during the start-up
  /// needs them.
  private func part(_ cursor: Cursor) -> Step? {
    let events = original.events
    guard let last = events.indices.last else { return nil }
    let first = failed.map { failed in
      max(0, events.partitioningIndex { $0.time > failed } - 1)
    }
    let (place, isMoved) = (cursor.position / 2, cursor.position % 2 == 0)
    guard let end = first.map({ $0 + place }) ?? (place == 0 ? last : nil), end <= last,
      place <= Self.laterMax
    else { return nil }
    let next = Cursor(position: cursor.position + 1)
    let count = min(end + 1, 1 << cursor.option)
    let part = events[(end + 1 - count)...end]
    guard let begin = part.first?.time,
      longest.map({ events[end].time - (isMoved ? begin : .zero) <= $0 }) ?? true
    else { return (nil, next, next) }
    var candidate = original
    candidate.events = Array(part)
    candidate.isRunning = false
    candidate.end = max(original.end, events[end].time)
    if isMoved { candidate = candidate.moved(to: Self.start, grain: .nanoseconds(1)) }
    if end < last { candidate.end = min(candidate.end, candidate.shown + Self.shownMax) }
    candidate.end = max(candidate.end, candidate.shown)
    let isWhole = count == end + 1
    // The shortest part is found: the later passes do the rest.
    return (
      candidate, Cursor(position: 2 * (Self.laterMax + 1)),
      isWhole ? next : Cursor(position: cursor.position, option: cursor.option + 1)
    )
  }

  /// How long a part of the session continues after its last byte's effect, if more was sent then.
  private static let shownMax = Interval.seconds(10)

  /// All faults but one are left out, or all.
  private func withoutFault(_ session: SessionInputs, _ cursor: Cursor) -> Step? {
    let faults = session.events.indices.filter { session.events[$0].isFault }
    guard cursor.position <= faults.count, !faults.isEmpty else { return nil }
    var candidate = session
    let kept = cursor.position == 0 ? nil : faults[cursor.position - 1]
    candidate.events = session.events.indices.filter {
      !session.events[$0].isFault || $0 == kept
    }.map { session.events[$0] }
    return (candidate, Cursor(position: faults.count + 1), Cursor(position: cursor.position + 1))
  }

  /// A run of events, commands or bytes is left out.
  private func shortened(_ session: SessionInputs, _ cursor: Cursor) -> Step? {
    let isSmall = units.count <= Self.runsMax
    let end = min(cursor.position, units.count)
    let chunk = min(cursor.chunk, units.count)
    guard end >= (isSmall ? max(chunk, 1) : 1) else {
      guard chunk > 1 else { return nil }
      let next = Cursor(chunk: isSmall ? chunk - 1 : chunk / 2, position: units.count)
      return (nil, next, next)
    }
    let begin = max(0, end - chunk)
    let success = Cursor(chunk: chunk, position: isSmall ? end - 1 : begin)
    // In a small session, what was behind the run is tried again: `seen` leaves out the rest.
    let failure = Cursor(chunk: chunk, position: isSmall ? units.count : begin)
    return (session.without(units[begin..<end]), failure, success)
  }

  /// A byte is replaced by a simpler one.
  private func simplified(_ session: SessionInputs, _ cursor: Cursor) -> Step? {
    guard cursor.position > 0, cursor.position <= units.count else { return nil }
    let unit = units[cursor.position - 1]
    let next = Cursor(position: cursor.position - 1)
    guard case .receive(var bytes) = session.events[unit.event].kind,
      let simpler = ByteRank.simpler(than: bytes[unit.bytes.lowerBound], cursor.option)
    else { return (nil, next, next) }
    bytes[unit.bytes.lowerBound] = simpler
    var candidate = session
    candidate.events[unit.event].kind = .receive(bytes)
    return (candidate, next, Cursor(position: cursor.position, option: cursor.option + 1))
  }

  /// All times are rounded at once, the coarsest unit first.
  private func rounded(_ session: SessionInputs, _ cursor: Cursor) -> Step? {
    guard cursor.position < 2 * TimeGrain.all.count, let first = session.events.first?.time else {
      return nil
    }
    let grain = TimeGrain.all[cursor.position / 2]
    var candidate = session.moved(
      to: cursor.position % 2 == 0 ? Self.start : first, grain: grain)
    candidate.end = max(candidate.end, candidate.shown).rounded(up: TimeGrain.all[0])
    return (
      candidate, Cursor(position: 2 * TimeGrain.all.count), Cursor(position: cursor.position + 1)
    )
  }

  /// The gap before an event is shortened; at first to nothing, so that the bytes of two events are
  /// those of one.
  private func tightened(_ session: SessionInputs, _ cursor: Cursor) -> Step? {
    guard cursor.position > 1 else { return nil }
    let index = cursor.position - 1
    let next = Cursor(position: index)
    guard cursor.option < TimeGrain.gaps.count, index < session.events.count else {
      return (nil, next, next)
    }
    let before = session.events[index - 1]
    let gap = session.events[index].time - before.time
    if cursor.option == 0, case .receive(let bytes) = before.kind,
      case .receive(let others) = session.events[index].kind
    {
      var candidate = session
      candidate.events[index - 1].kind = .receive(bytes + others)
      candidate.events.remove(at: index)
      let later = Cursor(position: cursor.position, option: 1)
      return (candidate.earlier(by: gap, from: index), next, later)
    }
    var shorter = TimeGrain.gaps[cursor.option]
    // Not into the start-up after a reset, which would be another failure.
    if case .reset(let deadTime) = before.kind {
      let ready = deadTime + (Self.start - .zero)
      if gap >= ready { shorter = shorter + ready }
    }
    guard shorter < gap else { return (nil, next, next) }
    return (
      session.earlier(by: gap - shorter, from: index), next,
      Cursor(position: cursor.position, option: cursor.option + 1)
    )
  }

  /// The session ends earlier.
  private func ended(_ session: SessionInputs, _ cursor: Cursor) -> Step? {
    let tails: [Int64] = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000]
    guard cursor.position < tails.count else { return nil }
    var candidate = session
    candidate.end =
      (session.shown + .milliseconds(tails[cursor.position])).rounded(up: TimeGrain.all[0])
    return (candidate, Cursor(position: tails.count), Cursor(position: cursor.position + 1))
  }

  // MARK: Units

  /// What is left out at once: some bytes of an event, or another event as a whole.
  struct Unit: Hashable, Sendable {
    var event: Int
    /// Empty unless the event has bytes.
    var bytes: Range<Int>
  }

  private static func units(of session: SessionInputs, _ pass: Pass) -> [Unit] {
    var units: [Unit] = []
    guard [.events, .commands, .bytes, .values].contains(pass) else { return units }
    for (index, event) in session.events.enumerated() {
      guard case .receive(let bytes) = event.kind else {
        if pass != .values { units.append(Unit(event: index, bytes: 0..<0)) }
        continue
      }
      var begin = 0
      for place in bytes.indices {
        let isLast = place + 1 == bytes.count
        let isEnd =
          switch pass {
          case .bytes, .values: true
          case .commands: isLast || beginsCommand(bytes[place + 1])
          default: isLast
          }
        guard isEnd else { continue }
        units.append(Unit(event: index, bytes: begin..<(place + 1)))
        begin = place + 1
      }
      if bytes.isEmpty, pass != .values { units.append(Unit(event: index, bytes: 0..<0)) }
    }
    return units
  }

  /// Whether a byte looks like the beginning of a command, whatever the sketch's grammar is. Only
  /// the order in which parts are left out depends on it.
  private static func beginsCommand(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "?")
  }
}

/// How simple a byte is: 0 for the simplest.
enum ByteRank {
  /// Digits first, then the other bytes of the usual commands.
  private static let usual = Array("0123456789.XLTOC?V".utf8)
  /// What a byte is replaced by, the simplest first.
  private static let replacements = Array("0123456789.XLA\n".utf8)

  static func of(_ byte: UInt8) -> Int {
    if let rank = usual.firstIndex(of: byte) { return rank }
    let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    let isPrintable = (0x20...0x7E).contains(byte)
    return (isLetter ? 1 : byte == 0x0A ? 2 : isPrintable ? 3 : 4) * 256 + Int(byte)
  }

  /// Returns a replacement for a byte, nil if there are no more of them.
  static func simpler(than byte: UInt8, _ index: Int) -> UInt8? {
    guard index < replacements.count, of(replacements[index]) < of(byte) else { return nil }
    return replacements[index]
  }
}

/// The units of round times.
enum TimeGrain {
  /// The coarsest first.
  static let all: [Interval] = [
    .milliseconds(100), .milliseconds(10), .milliseconds(1), .microseconds(100), .microseconds(10),
    .microseconds(1),
  ]
  /// The lengths that are tried for a gap.
  static let gaps: [Interval] =
    [.zero]
    + [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000].map { .milliseconds($0) }

  /// How round a time is: 0 for the roundest.
  static func rank(_ length: Interval) -> Int {
    all.firstIndex { length.nanoseconds % $0.nanoseconds == 0 } ?? all.count
  }
}

extension Instant {
  func rounded(up grain: Interval) -> Instant {
    let steps = (nanoseconds + grain.nanoseconds - 1) / grain.nanoseconds
    return .zero + .nanoseconds(steps * grain.nanoseconds)
  }
}

extension Event {
  /// Whether it notes that a fault struck.
  var isFault: Bool {
    if case .fault = kind { true } else { false }
  }
}

// What the search does with a session.
extension SessionInputs {
  /// Returns the session without some of its parts, which are consecutive. It continues for as long
  /// as before after its last event.
  fileprivate func without(_ units: ArraySlice<Shrinker.Unit>) -> SessionInputs {
    guard let first = units.first, let last = units.last else { return self }
    var shorter = self
    shorter.events.removeSubrange(first.event...last.event)
    var rest: [Event] = []
    if case .receive(let bytes) = events[first.event].kind {
      var kept = Array(bytes[..<first.bytes.lowerBound])
      if last.event == first.event { kept += bytes[last.bytes.upperBound...] }
      if !kept.isEmpty { rest.append(Event(events[first.event].time, .receive(kept))) }
    }
    if last.event > first.event, case .receive(let bytes) = events[last.event].kind,
      last.bytes.upperBound < bytes.count
    {
      rest.append(
        Event(events[last.event].time, .receive(Array(bytes[last.bytes.upperBound...]))))
    }
    shorter.events.insert(contentsOf: rest, at: first.event)
    let tail = end - (events.last?.time ?? .zero)
    shorter.end = (shorter.events.last?.time ?? .zero) + tail
    return shorter
  }

  /// Returns the session with the events from an index on moved to earlier times, and its end.
  fileprivate func earlier(by length: Interval, from index: Int) -> SessionInputs {
    var session = self
    for later in index..<max(index, events.count) {
      session.events[later].time = events[later].time - length
    }
    session.end = (end - length).rounded(up: TimeGrain.all[0])
    return session
  }

  /// Whether the session is smaller than another, in the order that `Shrinker` describes.
  package func isSmaller(than other: SessionInputs) -> Bool {
    if isRunning != other.isRunning { return !isRunning }
    let (counts, others) = (self.counts, other.counts)
    if counts.faults != others.faults { return counts.faults < others.faults }
    if counts.bytes != others.bytes { return counts.bytes < others.bytes }
    if events.count != other.events.count { return events.count < other.events.count }
    for (own, event) in zip(events, other.events) {
      guard case .receive(let bytes) = own.kind, case .receive(let others) = event.kind else {
        continue
      }
      for (byte, other) in zip(bytes, others) where byte != other {
        return ByteRank.of(byte) < ByteRank.of(other)
      }
    }
    let (grains, otherGrains) = (grainSum, other.grainSum)
    if grains != otherGrains { return grains < otherGrains }
    if end != other.end { return end < other.end }
    for (own, event) in zip(events, other.events) where own.time != event.time {
      return own.time < event.time
    }
    return false
  }

  /// The numbers of faults, and of bytes that were sent.
  package var counts: (faults: Int, bytes: Int) {
    var counts = (faults: 0, bytes: 0)
    for event in events {
      if event.isFault { counts.faults += 1 }
      if case .receive(let bytes) = event.kind { counts.bytes += bytes.count }
    }
    return counts
  }

  /// How round the gaps before its events are, and its end: 0 for the roundest.
  private var grainSum: Int {
    var before = Instant.zero
    var sum = TimeGrain.rank(end - .zero)
    for event in events {
      sum += TimeGrain.rank(event.time - before)
      before = event.time
    }
    return sum
  }

  /// A name for the session's file: its fingerprint, and that of a text about it, in hexadecimal.
  package func name(with text: [UInt8] = []) -> String {
    var hash = Fingerprint(value: fingerprint)
    for byte in text { hash.add(UInt64(byte)) }
    return String(hash.value, radix: 16, digits: 16)
  }

  /// A number that differs between sessions.
  fileprivate var fingerprint: UInt64 {
    var hash = Fingerprint()
    hash.add(UInt64(bitPattern: end.nanoseconds))
    hash.add(isRunning ? 1 : 0)
    for event in events {
      hash.add(UInt64(bitPattern: event.time.nanoseconds))
      if case .receive(let bytes) = event.kind {
        for byte in bytes { hash.add(UInt64(byte)) }
        hash.add(256)
      } else {
        var line: [UInt8] = []
        line.appendLine(event)
        for byte in line { hash.add(UInt64(byte)) }
      }
    }
    return hash.value
  }
}

/// FNV-1a with 64-bit words: the same in every process, unlike the library's hash values.
private struct Fingerprint {
  var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x100_0000_01B3
    value ^= value >> 32
  }
}
