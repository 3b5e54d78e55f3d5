import Networking
import Turret
import TurretProtocol

extension Arbiter {
  /// An event that concerns the bench's clients or the board.
  enum Event: Hashable, Sendable {
    /// A client that can send commands has joined.
    case joined(ClientID, Transport, address: String)
    /// A client has sent a message; over TCP, some bytes.
    case received([UInt8], MessageKind, from: ClientID)
    /// A client that is part of the bench has issued a command.
    case ordered(Command, from: ClientID)
    case left(ClientID, Departure)
    /// A client of `/events` has joined.
    case watcherJoined(ClientID, address: String)
    case watcherLeft(ClientID, Departure)
    /// A request or a client was refused, with this HTTP status.
    case requestRefused(Int)
    /// Time has passed.
    case passed
    /// The board has sent these bytes.
    case boardSent([UInt8])
    case boardIsGone
    /// The board is connected again. Its sketch reads after `bootTime`.
    case boardIsBack(bootTime: Interval)
    /// The session is ending. From now on, nothing that a client sends reaches the board.
    case leaving
    /// Waiting commands will not be sent any more.
    case over
  }
}
