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

  private var waiting: [(command: Command, from: ClientID)] = []
  /// Where the aim is.
  private var aim: Int?
  package private(set) var counts = Counts()

  package init() {}

  package var count: Int { waiting.count }
  package var isEmpty: Bool { waiting.isEmpty }

  package mutating func put(_ command: Command, from client: ClientID) -> Outcome {
    if case .aim = command { return putAim(command, from: client) }
    if command == .lost, waiting.last?.command == .lost {
      counts.merged += 1
      return .merged
    }
    guard waiting.count - (aim == nil ? 0 : 1) < Self.countMax else {
      counts.overflowed += 1
      return .overflow
    }
    append(command, from: client)
    return .queued
  }

  /// Takes out what goes next.
  package mutating func next() -> (command: Command, from: ClientID)? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    aim = aim.flatMap { $0 == 0 ? nil : $0 - 1 }
    counts.sent += 1
    return first
  }

  /// Takes out all that wait, in order.
  package mutating func removeAll() -> [(command: Command, from: ClientID)] {
    let removed = waiting
    waiting.removeAll(keepingCapacity: true)
    aim = nil
    counts.removed += removed.count
    return removed
  }

  private mutating func putAim(_ command: Command, from client: ClientID) -> Outcome {
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
    append(command, from: client)
    return old == nil ? .queued : .replaced
  }

  private mutating func append(_ command: Command, from client: ClientID) {
    waiting.append((command, client))
    counts.queued += 1
  }
}
