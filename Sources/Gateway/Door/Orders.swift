import Bench

/// What the turret is to do: the commands that wait for the cable, and the last word for a board that
/// comes back.
struct Orders: Sendable {
  private var queue = CommandQueue()
  /// The last command that says what the turret is to do from now on.
  private(set) var wanted: Command?

  var isEmpty: Bool { queue.isEmpty }
  var count: Int { queue.count }

  /// A client wants this, whether there is a board or not.
  mutating func want(_ command: Command) { if command.isLasting { wanted = command } }

  /// What a client wants done now.
  mutating func put(
    _ command: Command, from client: ClientID, at time: HostTime
  ) -> CommandQueue.Outcome {
    queue.put(command, from: client, at: time)
  }

  /// What the bench itself wants done: how the turret is to be left counts for more than what a client
  /// who is gone still wanted.
  mutating func putOwn(_ command: Command) -> CommandQueue.Outcome {
    let outcome = queue.put(command, from: nil)
    guard outcome == .overflow else { return outcome }
    _ = queue.removeAll()
    return queue.put(command, from: nil)
  }

  mutating func next() -> CommandQueue.Entry? { queue.next() }

  /// Nothing is to be done now any more.
  mutating func removeAll() { _ = queue.removeAll() }
}
