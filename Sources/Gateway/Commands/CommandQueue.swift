package import Devices

/// The commands that wait for the cable. It carries some 200 a second and a camera can send more, so
/// the newest aim wins and delay does not pile up.
///
/// At most one aim waits: a newer one takes its place, but at the end, for what came in between came
/// first (`X10.`, `L`, `X20.` must leave the turret at 20). `L`s with nothing between them are one.
package struct CommandQueue: Sendable {
  package enum Outcome: Hashable, Sendable {
    case queued
    /// In place of an older aim.
    case replaced
    /// With the `L` before it.
    case merged
    /// Not taken: `countMax` others wait.
    case overflow
  }

  /// What became of the commands. All that were put were sent, replaced, merged, overflowed or removed,
  /// or they wait.
  package struct Counts: Hashable, Sendable {
    /// Taken into the queue, whatever became of them.
    package var queued = 0
    /// Aims that went for a newer one.
    package var replaced = 0
    /// `L`s that went into the one before.
    package var merged = 0
    /// Not taken.
    package var overflowed = 0
    package var sent = 0
    /// Taken out unsent.
    package var removed = 0
  }

  /// So many can wait beside the aim.
  package static let countMax = 16

  /// A command that waits.
  package struct Entry: Hashable, Sendable {
    package var command: Command
    /// Who wants it; nil: the bench itself.
    package var from: ClientID?
    /// When it came; nil where that is not to be known.
    package var arrival: HostTime?
  }

  private var waiting: [Entry] = []
  /// Where the aim is.
  private var aim: Int?
  package private(set) var counts = Counts()

  package init() {}

  package var count: Int { waiting.count }
  package var isEmpty: Bool { waiting.isEmpty }

  /// `isLast`: nothing comes after it, so it is taken however many wait.
  package mutating func put(
    _ command: Command, from client: ClientID?, at arrival: HostTime? = nil, isLast: Bool = false
  ) -> Outcome {
    let entry = Entry(command: command, from: client, arrival: arrival)
    if case .aim = command { return putAim(entry) }
    if command == .lost, waiting.last?.command == .lost {
      counts.merged += 1
      return .merged
    }
    guard isLast || hasRoom(for: command) else {
      counts.overflowed += 1
      return .overflow
    }
    append(entry)
    return .queued
  }

  /// Whether it would be taken.
  package func hasRoom(for command: Command) -> Bool {
    if case .aim = command { return true }
    if command == .lost, waiting.last?.command == .lost { return true }
    return waiting.count - (aim == nil ? 0 : 1) < Self.countMax
  }

  /// Takes out what goes next.
  package mutating func next() -> Entry? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    aim = aim.flatMap { $0 == 0 ? nil : $0 - 1 }
    counts.sent += 1
    return first
  }

  /// Takes out all that wait, in order.
  package mutating func removeAll() -> [Entry] {
    let removed = waiting
    waiting.removeAll(keepingCapacity: true)
    aim = nil
    counts.removed += removed.count
    return removed
  }

  /// Takes out what one client still wants, in order. What its commands kept apart may merge.
  package mutating func removeAll(from client: ClientID) -> [Entry] {
    let removed = waiting.filter { $0.from == client }
    guard !removed.isEmpty else { return [] }
    counts.removed += removed.count
    let kept = waiting.filter { $0.from != client }
    waiting.removeAll(keepingCapacity: true)
    for entry in kept {
      if entry.command == .lost, waiting.last?.command == .lost {
        counts.merged += 1
      } else {
        waiting.append(entry)
      }
    }
    aim = waiting.firstIndex { if case .aim = $0.command { true } else { false } }
    return removed
  }

  private mutating func putAim(_ entry: Entry) -> Outcome {
    let old = aim
    if let old {
      waiting.remove(at: old)
      counts.replaced += 1
      // What it kept apart may now be next to each other.
      if old > 0, old < waiting.count, waiting[old - 1].command == .lost,
        waiting[old].command == .lost
      {
        waiting.remove(at: old)
        counts.merged += 1
      }
    }
    aim = waiting.count
    append(entry)
    return old == nil ? .queued : .replaced
  }

  private mutating func append(_ entry: Entry) {
    waiting.append(entry)
    counts.queued += 1
  }
}
