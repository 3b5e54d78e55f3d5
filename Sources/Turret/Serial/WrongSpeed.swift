/// A sender's port at another speed than the board's.
package struct WrongSpeed: Hashable, Sendable {
  package enum Direction: Hashable, Sendable {
    /// The sender sends, and the board receives.
    case writing
    /// The board sends, and the sender receives.
    case reading
  }

  package var direction: Direction
  /// The speed of the sender's port, in bits a second.
  package var sender: Int
  package var board: Int

  package init(_ direction: Direction, sender: Int, board: Int) {
    self.direction = direction
    self.sender = sender
    self.board = board
  }

  /// The two speeds as a sentence without its full stop.
  package var text: String {
    switch direction {
    case .writing: "the sender writes at \(sender) baud, the board listens at \(board)"
    case .reading: "the sender reads at \(sender) baud, the board sends at \(board)"
    }
  }

  /// Whether not every byte arrives as it was sent.
  package var garbles: Bool {
    var line = SerialLine(baud: direction == .writing ? board : sender)
    line.senderBaud = direction == .writing ? sender : board
    let bytes = Array(UInt8.min...UInt8.max)
    line.send(bytes, at: .zero)
    for byte in bytes where line.next(by: .distantFuture)?.byte != byte { return true }
    return false
  }
}
