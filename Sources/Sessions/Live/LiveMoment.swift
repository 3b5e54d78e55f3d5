import Devices
import Engine
import Turret

/// The complete state of a live session at one moment, to rewind to.
struct LiveMoment<D: RealTimeDevice>: Sendable {
  var session: Session<D>
  var counts: LiveCounts
  /// Bytes from the board that are on their way to the sender.
  var toSender: TransmitDelay
  var shaft: Shaft
}
