import Devices
import Turret

/// What a bench reports about itself when a request is handled.
struct APIMoment: Sendable {
  var now: Instant
  /// Events from now on are not earlier than this.
  var settled: Instant
  /// nil if the device does not show it.
  var activity: Activity?
  var counts = LiveCounts()
  /// The commands that the sketch has taken; nil if that is unknown.
  var commands: Int?
  /// The sender's bytes that have not arrived.
  var onTheWay = 0
  /// The bytes in the ring; nil if that is unknown.
  var waiting: Int?
  /// The sender's speed in bits a second.
  var baud = 9_600
  /// The bytes of answers that the client has not read.
  var backlog = 0
}
