/// A program on the board, as a value. It reads bytes from the receive ring and moves the servo.
///
/// Time is an argument. A sketch knows when it next has something to do (`nextDeadline`) and does
/// everything due by a given instant (`advance`). Advancing in two steps is the same as in one.
package protocol Sketch: Hashable, Sendable, Savable {
  /// Creates the sketch after a reset at `start`, when its start-up begins. It opens the port at
  /// `baud` bits a second.
  init(timing: Timing, baud: Int, startingAt start: Instant)
  /// Creates the sketch some time after its start-up: idle, with the servo at an unknown angle, so
  /// that the next write counts as a change, whatever its angle.
  init(timing: Timing, baud: Int, runningAt instant: Instant)

  /// The figures of the build that was measured.
  static var measuredTiming: Timing { get }
  /// The durations of its steps.
  var timing: Timing { get }
  /// The last pulse stored for the servo, in microseconds; nil before the first.
  var commandedPulse: UInt16? { get }
  /// The pulses on the servo's pin.
  var pulseTrain: PulseTrain { get }
  /// What the sketch is doing, for reports.
  var activity: Activity { get }

  /// Whether this state is possible with `ring`. A sketch read from a file may be invalid.
  func isPossible(with ring: RingBuffer) -> Bool

  /// Returns when the sketch next does something if no further byte arrives; nil if never.
  func nextDeadline(_ ring: RingBuffer) -> Instant?

  /// Notes that a byte arrived at `instant` in a ring that was empty.
  mutating func wake(at instant: Instant)
  /// Notes that a byte was lost because the ring was full.
  mutating func lostByte()
  /// Stops the sketch because the board restarts: abandons what it had begun and ends a tone.
  func halt(at instant: Instant, into recorder: inout Recorder)

  /// Does everything due up to and including `end`.
  mutating func advance(
    to end: Instant, reading ring: inout RingBuffer, into recorder: inout Recorder)
}
