/// The commands that wait for the cable. The cable carries about 200 a second, and a camera can
/// send more. So the newest aim wins, and delays do not accumulate.
///
/// At most one aim waits. A newer one replaces it, but is put at the end, because the commands in
/// between were sent first (`X10.`, `L`, `X20.` must leave the turret at 20). Consecutive `L`s are
/// merged into one.
///
/// With a profile that is not one of the bench's own, the same holds for each form whose commands a
/// newer one can replace. Every other command waits separately, and is removed when it is late.
package struct CommandQueue: Sendable {
  package enum Outcome: Hashable, Sendable {
    case queued
    /// It replaced an older aim, or an older command of its form.
    case replaced
    /// It was merged with the `L` before it.
    case merged
    /// It was not accepted, because `countMax` others are waiting.
    case overflow
  }

  /// What happened to the commands. Every command that was put was sent, replaced, merged, refused
  /// because of an overflow, or removed, or is waiting.
  package struct Counts: Hashable, Sendable {
    /// The commands that `put` added, whatever happened to them later.
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
    /// When it arrived; nil if that is unknown.
    package var arrival: Instant?

    /// The form of a profile's command.
    fileprivate var form: Int? {
      if case .own(let own) = command { own.form } else { nil }
    }

    fileprivate var isReplaceable: Bool {
      if case .own(let own) = command { own.isReplaceable } else { false }
    }

    /// Whether it must not be late.
    fileprivate var isUrgent: Bool { lateDeadline != nil }

    fileprivate var lateDeadline: Instant? {
      guard case .own(let own) = command, !own.isReplaceable else { return nil }
      return arrival.map { $0 + Profile.lateMax }
    }
  }

  private var waiting: [Entry] = []
  /// The position of the aim.
  private var aim: Int?
  /// How many others are waiting that a newer one can replace.
  private var replaceableCount = 0
  /// How many are waiting that must not be late.
  private var urgentCount = 0
  /// The last command that a newer one replaced.
  package private(set) var lastReplaced: Command?
  package private(set) var counts = Counts()

  package init() {}

  package var count: Int { waiting.count }
  package var isEmpty: Bool { waiting.isEmpty }

  /// `isLast`: no command follows, so it is accepted however many are waiting.
  package mutating func put(
    _ command: Command, from client: ClientID?, at arrival: Instant? = nil, isLast: Bool = false
  ) -> Outcome {
    let entry = Entry(command: command, from: client, arrival: arrival)
    if case .aim = command { return putAim(entry) }
    if case .own(let own) = command, own.isReplaceable { return putNewest(entry, form: own.form) }
    if command == .lost, waiting.last?.command == .lost {
      counts.merged += 1
      return .merged
    }
    guard isLast || hasRoom(for: command) else {
      counts.overflowed += 1
      return .overflow
    }
    if entry.isUrgent { urgentCount += 1 }
    append(entry)
    return .queued
  }

  /// Whether it would be accepted.
  package func hasRoom(for command: Command) -> Bool {
    if case .aim = command { return true }
    if case .own(let own) = command, own.isReplaceable { return true }
    if command == .lost, waiting.last?.command == .lost { return true }
    return waiting.count - (aim == nil ? 0 : 1) - replaceableCount < Self.countMax
  }

  /// Removes and returns the next command to send.
  package mutating func next() -> Entry? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    aim = aim.flatMap { $0 == 0 ? nil : $0 - 1 }
    if first.isReplaceable { replaceableCount -= 1 }
    if first.isUrgent { urgentCount -= 1 }
    counts.sent += 1
    return first
  }

  /// Removes and returns all waiting commands, in order.
  package mutating func removeAll() -> [Entry] {
    let removed = waiting
    waiting.removeAll(keepingCapacity: true)
    (aim, replaceableCount, urgentCount) = (nil, 0, 0)
    counts.removed += removed.count
    return removed
  }

  /// When the first command with a time limit becomes late; nil if none waits.
  package var lateDeadline: Instant? {
    guard urgentCount > 0 else { return nil }
    return waiting.lazy.compactMap { $0.lateDeadline }.min()
  }

  /// Removes and returns the commands that are late, in order.
  package mutating func removeLate(at now: Instant) -> [Entry] {
    guard let deadline = lateDeadline, deadline < now else { return [] }
    return remove { entry in entry.lateDeadline.map { $0 < now } ?? false }
  }

  /// Removes and returns the waiting commands of one client, in order. Commands that they separated
  /// may be merged.
  package mutating func removeAll(from client: ClientID) -> [Entry] {
    remove { $0.from == client }
  }

  private mutating func remove(where isMeant: (Entry) -> Bool) -> [Entry] {
    let removed = waiting.filter(isMeant)
    guard !removed.isEmpty else { return [] }
    counts.removed += removed.count
    let kept = waiting.filter { !isMeant($0) }
    waiting.removeAll(keepingCapacity: true)
    for entry in kept {
      if entry.command == .lost, waiting.last?.command == .lost {
        counts.merged += 1
      } else {
        waiting.append(entry)
      }
    }
    aim = waiting.firstIndex { if case .aim = $0.command { true } else { false } }
    replaceableCount = waiting.count { $0.isReplaceable }
    urgentCount = waiting.count { $0.isUrgent }
    return removed
  }

  private mutating func putAim(_ entry: Entry) -> Outcome {
    let old = aim
    if let old {
      lastReplaced = waiting.remove(at: old).command
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

  /// Puts a command of a profile at the end, and removes the older one of its form.
  private mutating func putNewest(_ entry: Entry, form: Int) -> Outcome {
    let old = waiting.firstIndex { $0.isReplaceable && $0.form == form }
    if let old {
      lastReplaced = waiting.remove(at: old).command
      if let position = aim, position > old { aim = position - 1 }
      counts.replaced += 1
    } else {
      replaceableCount += 1
    }
    append(entry)
    return old == nil ? .queued : .replaced
  }

  private mutating func append(_ entry: Entry) {
    waiting.append(entry)
    counts.queued += 1
  }
}

/// A number that identifies a client of a session. The first client to connect has number 1.
package struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (a: ClientID, b: ClientID) -> Bool { a.number < b.number }
  package var description: String { "\(number)" }
}
