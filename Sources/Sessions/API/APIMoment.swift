import Devices
import Turret

/// What a bench reports about itself when a request is handled.
struct APIMoment: Sendable {
  var now: Instant
  /// The earliest time that a later event can have.
  var settled: Instant
  /// Nil if the device does not show it.
  var activity: Activity?
  var counts = LiveCounts()
  /// The number of commands that the sketch has taken; nil if unknown.
  var commands: Int?
  /// The number of the sender's bytes that have not reached the board.
  var onTheWay = 0
  /// The number of bytes in the ring; nil if unknown.
  var waiting: Int?
  /// The sender's speed in bits a second.
  var baud: Int
  /// The number of bytes of messages that the client has not read.
  var backlog = 0
}
