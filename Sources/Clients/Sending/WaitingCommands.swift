/// The commands that wait for a target: the newest aim and the newest `L`, in the order in which
/// they were given.
///
/// Unlike in `CommandQueue`, no other command waits, because a command for a picture from a second
/// ago is useless.
struct WaitingCommands: Hashable, Sendable {
  enum Kind: Hashable {
    case aim, lost
    /// It does not determine what the turret does later.
    case passing

    init(_ command: [UInt8]) {
      switch command.first {
      case UInt8(ascii: "X"): self = .aim
      case UInt8(ascii: "L"): self = .lost
      default: self = .passing
      }
    }
  }

  private var commands: [[UInt8]] = []

  var isEmpty: Bool { commands.isEmpty }
  var count: Int { commands.count }
  var newest: [UInt8]? { commands.last }

  /// - Returns: whether it replaced an older command.
  mutating func put(_ command: [UInt8]) -> Bool {
    let kind = Kind(command)
    let older = commands.firstIndex { Kind($0) == kind }
    if let older { commands.remove(at: older) }
    commands.append(command)
    return older != nil
  }

  mutating func next() -> [UInt8]? { commands.isEmpty ? nil : commands.removeFirst() }

  mutating func removeAll() { commands = [] }
}
