import Turret

extension Arbiter {
  /// Something that happens to the bench's clients, or to the board.
  enum Event: Hashable, Sendable {
    /// A client that may send commands.
    case joined(ClientID, Transport, address: String)
    /// A message from it; over TCP, some bytes.
    case received([UInt8], MessageKind, from: ClientID)
    case left(ClientID, Departure)
    /// A client of `/events`.
    case watcherJoined(ClientID, address: String)
    case watcherLeft(ClientID, Departure)
    /// A request or a client was refused, with this HTTP status.
    case requestRefused(Int)
    /// Time has passed.
    case passed
    /// The board has sent these.
    case boardSent([UInt8])
    case boardIsGone
    /// The board's sketch listens after `bootTime`.
    case boardIsBack(bootTime: Interval)
    /// The session ends: from here on nothing that a client sends reaches the board.
    case leaving
    /// What still waits is not sent any more.
    case over
  }
}
