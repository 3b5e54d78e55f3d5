import Devices

/// What the turret is to do: the commands that wait for the cable, and the last word for a board that
/// comes back.
struct Orders: Sendable {
  /// What it is to do from now on.
  private struct Word: Hashable {
    var command: Command
    /// Who wants it; nil: the bench itself.
    var from: ClientID?
  }

  private var queue = CommandQueue()
  private var word: Word?
  /// The last word that went down the cable.
  private var carried: Word?

  var isEmpty: Bool { queue.isEmpty }
  var count: Int { queue.count }
  var counts: CommandQueue.Counts { queue.counts }
  /// The last command that says what the turret is to do from now on.
  var wanted: Command? { word?.command }

  /// For later: there is no board now. nil: the bench itself wants it.
  mutating func want(_ command: Command, from client: ClientID?) {
    if command.isLasting { word = Word(command: command, from: client) }
  }

  /// What a client wants done now.
  mutating func put(
    _ command: Command, from client: ClientID, at time: HostTime
  ) -> CommandQueue.Outcome {
    let outcome = queue.put(command, from: client, at: time)
    if outcome != .overflow { want(command, from: client) }
    return outcome
  }

  /// What the bench itself wants done. How the turret is to be left counts for more than what a client
  /// who is gone still wanted: gives what had to make room for it. With `isLast` nothing comes after it,
  /// and it comes after all that waits.
  mutating func putOwn(_ command: Command, isLast: Bool) -> [CommandQueue.Entry] {
    want(command, from: nil)
    let dropped = isLast || queue.hasRoom(for: command) ? [] : queue.removeAll()
    _ = queue.put(command, from: nil, isLast: isLast)
    return dropped
  }

  /// What goes down the cable now.
  mutating func next() -> CommandQueue.Entry? {
    guard let entry = queue.next() else { return nil }
    if entry.command.isLasting { carried = Word(command: entry.command, from: entry.from) }
    return entry
  }

  /// What waits is not to be done any more, but for the last word.
  mutating func removeAll() -> [CommandQueue.Entry] { queue.removeAll() }

  /// One client's word counts no more: what it had done stays, what it still wanted does not.
  mutating func removeAll(from client: ClientID) -> [CommandQueue.Entry] {
    if word?.from == client { word = carried }
    return queue.removeAll(from: client)
  }
}
