import Devices
import Turret

extension SessionLife {
  /// An event in a live session. In one turn they occur in this order.
  enum Event: Hashable, Sendable {
    /// A turn has begun. The device's outputs are known after `lag`; until then, a board answers
    /// only the bench.
    case turnBegan(lag: Interval)
    /// The device does not work. Reported in each turn while that is so.
    case boardFailed(DeviceError)
    /// The board has been found again. Its sketch runs after `bootTime`.
    case boardIsBack(bootTime: Interval)
    case boardIsStillAway
    /// A signal that requests the end.
    case signal(CInt)
    /// The view's key that ends the session was pressed, or a client of --api has ended it.
    case endKey
    /// The command after `--` has ended. The session does not end before `earliest`. `backlog` is
    /// how long the bytes on their way take.
    case commandEnded(earliest: Instant, backlog: Interval)
    /// Time has passed.
    case passed
    /// The numbers of bytes on their way to the board, and waiting on it; nil if unknown.
    case line(onTheWay: Int, waiting: Int?)
    /// The session must last until then, because of an output after its command had ended.
    case undecided(until: Instant)
    /// Whether everything that the network's clients have sent has reached the board.
    case network(isDrained: Bool)
  }
}
