import Devices
import Turret

/// The complete state of a live session at one moment, to rewind to.
struct LiveMoment<D: RealTimeDevice>: Sendable {
  var session: LiveSession<D>
  var counts: LiveCounts
  /// Bytes from the board that are on their way to the sender.
  var toSender: TransmitDelay
  var shaft: Shaft
  /// The sender's speed in bits a second.
  var senderBaud: Int
  var senderFormat: LineFormat
  /// Whether the sender holds the line low.
  var isInBreak: Bool
}
