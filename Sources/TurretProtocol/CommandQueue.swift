package import Turret

/// The commands that wait for the cable. The cable carries about 200 a second, and a camera can
/// send more. So the newest aim wins, and delays do not accumulate.
///
/// At most one aim waits. A newer one replaces it, but is put at the end, because the commands in
/// between were sent first (`X10.`, `L`, `X20.` must leave the turret at 20). Consecutive `L`s are
/// merged into one.
package struct CommandQueue: Sendable {
  package enum Outcome: Hashable, Sendable {
    case queued
    /// It replaced an older aim.
    case replaced
    /// It was merged with the `L` before it.
    case merged
    /// It was not accepted, because `countMax` others are waiting.
    case overflow
  }

  /// What happened to the commands. Every command that was put was sent, replaced, merged, refused
  /// because of an overflow, or removed, or is waiting.
  package struct Counts: Hashable, Sendable {
    /// The commands passed to `put`, whatever happened to them.
    package var queued = 0
    /// The aims that a newer one replaced.
    package var replaced = 0
    /// The `L`s that were merged into the one before.
    package var merged = 0
    /// The commands that were not accepted.
    package var overflowed = 0
    package var sent = 0
    /// The commands that were removed without being sent.
    package var removed = 0
  }

  /// How many commands can wait in addition to the aim.
  package static let countMax = 16

  /// A command that is waiting.
  package struct Entry: Hashable, Sendable {
    package var command: Command
    /// The client that sent it; nil for the bench itself.
    package var from: ClientID?
    /// When it arrived, by the owner's clock; nil if that is unknown.
    package var arrival: Instant?
  }

  private var waiting: [Entry] = []
  /// The position of the aim.
  private var aim: Int?
  package private(set) var counts = Counts()

  package init() {}

  package var count: Int { waiting.count }
  package var isEmpty: Bool { waiting.isEmpty }
  /// The aim that a newer one would replace; nil if none waits.
  package var waitingAim: Command? { aim.map { waiting[$0].command } }

  /// `isLast`: no command follows, so it is accepted however many are waiting.
  package mutating func put(
    _ command: Command, from client: ClientID?, at arrival: Instant? = nil, isLast: Bool = false
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

  /// Whether it would be accepted.
  package func hasRoom(for command: Command) -> Bool {
    if case .aim = command { return true }
    if command == .lost, waiting.last?.command == .lost { return true }
    return waiting.count - (aim == nil ? 0 : 1) < Self.countMax
  }

  /// Removes and returns the next command to send.
  package mutating func next() -> Entry? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    aim = aim.flatMap { $0 == 0 ? nil : $0 - 1 }
    counts.sent += 1
    return first
  }

  /// Removes and returns all waiting commands, in order.
  package mutating func removeAll() -> [Entry] {
    let removed = waiting
    waiting.removeAll(keepingCapacity: true)
    aim = nil
    counts.removed += removed.count
    return removed
  }

  /// Removes and returns the waiting commands of one client, in order. Commands that they separated
  /// may be merged.
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
      // Commands that they separated can now be adjacent.
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
