import TurretProtocol

/// The commands that wait for a target: the newest aim and the newest `L`, in the order in which
/// they were given.
///
/// Unlike in `CommandQueue`, no other command waits, because a command that answers a picture from
/// a second ago is useless.
struct WaitingCommands: Hashable, Sendable {
  private var commands: [Command] = []

  var isEmpty: Bool { commands.isEmpty }
  var count: Int { commands.count }
  var newest: Command? { commands.last }

  /// - Returns: whether it replaced an older command.
  mutating func put(_ command: Command) -> Bool {
    let older = commands.firstIndex { $0.isAim == command.isAim }
    if let older { commands.remove(at: older) }
    commands.append(command)
    return older != nil
  }

  mutating func next() -> Command? { commands.isEmpty ? nil : commands.removeFirst() }

  mutating func removeAll() { commands = [] }
}

extension Command {
  fileprivate var isAim: Bool { if case .aim = self { true } else { false } }
}
