/// A program on the board, as a value: it reads bytes from the receive ring and moves the servo.
///
/// Time is an argument. A sketch knows when it has something to do next (`nextDeadline`) and does
/// all that is due by a given instant (`advance`). Advancing in two parts is the same as in one.
package protocol Sketch: Hashable, Sendable, Savable {
  /// The sketch after a reset at `start`: its start-up begins there. It opens the port at `baud`
  /// bits a second.
  init(timing: Timing, baud: Int, startingAt start: Instant)
  /// The sketch as it may be some time after its start-up: idle, the servo somewhere, so that the
  /// next write counts as a change whatever it is.
  init(timing: Timing, baud: Int, runningAt instant: Instant)

  /// The figures of the build that was measured.
  static var measuredTiming: Timing { get }
  /// What its steps cost.
  var timing: Timing { get }
  /// The last pulse stored for the servo, microseconds; nil before the first.
  var commandedPulse: UInt16? { get }
  /// The frames on the servo's pin.
  var pulseTrain: PulseTrain { get }
  /// What the sketch is doing, for people.
  var activity: Activity { get }

  /// Whether a sketch can be like this with such a ring: one that was read from a file may not.
  func isPossible(with ring: RingBuffer) -> Bool

  /// When the sketch does something next if no further byte arrives; nil: never.
  func nextDeadline(_ ring: RingBuffer) -> Instant?

  /// A byte arrived at `instant` in a ring that was empty.
  mutating func wake(at instant: Instant)
  /// A byte found the ring full.
  mutating func lostByte()
  /// The board restarts: what the sketch had begun comes to nothing, a tone stops.
  func halt(at instant: Instant, into observer: inout some Observer)

  /// Does what is due up to and including `end`.
  mutating func advance(
    to end: Instant, reading ring: inout RingBuffer, into observer: inout some Observer)
}
