import Devices
import Turret

/// All that a live session is at one moment, to go back to.
struct LiveMoment<D: RealTimeDevice>: Sendable {
  var session: LiveSession<D>
  var counts: LiveCounts
  /// Bytes from the board that are on their way to the sender.
  var toSender: TransmitDelay
  /// The view's shaft.
  var shaft: Shaft
  /// The sender's speed, bits a second.
  var senderBaud: Int
}
