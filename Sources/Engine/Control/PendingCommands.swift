import Sketches

/// The commands that wait for the cable, and the last lasting command, for a board that is
/// connected again.
struct PendingCommands: Sendable {
  /// A command that determines what the turret does from now on.
  private struct Lasting: Hashable {
    var command: Command
    /// The client that sent it; nil for the bench itself.
    var from: ClientID?
  }

  private var queue = CommandQueue()
  /// The last lasting command, or with a profile the last one of each form, in order.
  private var lasting: [Lasting] = []
  /// The same for those that were sent over the cable.
  private var lastingSent: [Lasting] = []

  var isEmpty: Bool { queue.isEmpty }
  var count: Int { queue.count }
  var counts: CommandQueue.Counts { queue.counts }
  /// The last command that a newer one replaced.
  var lastReplaced: Command? { queue.lastReplaced }
  /// The last commands that determine what the turret does from now on, in order.
  var lastLasting: [Command] { lasting.map { $0.command } }
  /// When the first command with a time limit becomes late; nil if none waits.
  var lateDeadline: Instant? { queue.lateDeadline }

  /// Keeps a command for later, because there is no board now. A `client` of nil is the bench
  /// itself.
  mutating func remember(_ command: Command, from client: ClientID?) {
    Self.remember(command, from: client, in: &lasting)
  }

  /// Adds a client's command.
  mutating func put(
    _ command: Command, from client: ClientID, at time: Instant
  ) -> CommandQueue.Outcome {
    let outcome = queue.put(command, from: client, at: time)
    if outcome != .overflow { remember(command, from: client) }
    return outcome
  }

  /// Adds a command of the bench itself. It takes precedence over the commands of a client that has
  /// left; the commands dropped to make room for it are returned. With `isLast`, no command
  /// follows, and it is sent after everything that waits.
  mutating func putOwn(_ command: Command, isLast: Bool) -> [CommandQueue.Entry] {
    remember(command, from: nil)
    let dropped = isLast || queue.hasRoom(for: command) ? [] : queue.removeAll()
    _ = queue.put(command, from: nil, isLast: isLast)
    return dropped
  }

  /// Removes and returns the next command for the cable.
  mutating func next() -> CommandQueue.Entry? {
    guard let entry = queue.next() else { return nil }
    Self.remember(entry.command, from: entry.from, in: &lastingSent)
    return entry
  }

  private static func remember(
    _ command: Command, from client: ClientID?, in list: inout [Lasting]
  ) {
    guard command.isLasting else { return }
    list.removeAll { $0.command.isSuperseded(by: command) }
    list.append(Lasting(command: command, from: client))
  }

  /// Removes and returns the commands that are late.
  mutating func removeLate(at now: Instant) -> [CommandQueue.Entry] {
    queue.removeLate(at: now)
  }

  /// Removes and returns all waiting commands, but keeps the last lasting one.
  mutating func removeAll() -> [CommandQueue.Entry] { queue.removeAll() }

  /// Removes and returns one client's waiting commands. Of its lasting commands, only those that
  /// were sent still count.
  mutating func removeAll(from client: ClientID) -> [CommandQueue.Entry] {
    if lasting.contains(where: { $0.from == client }) { lasting = lastingSent }
    return queue.removeAll(from: client)
  }
}
