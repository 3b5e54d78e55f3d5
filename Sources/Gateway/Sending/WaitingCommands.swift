/// What waits for a target: the newest aim and the newest `L`, in the order they came.
///
/// Unlike `CommandQueue`, nothing else waits: what a picture of a second ago asked for is of no use.
struct WaitingCommands: Hashable, Sendable {
  enum Kind: Hashable {
    case aim, lost
    /// It says nothing for later.
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

  /// - Returns: whether an older one went for it.
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
