import Devices
import Turret

/// Collects the data of a servo other than the session's own while a session runs.
struct PlottedServoRun {
  let pin: BoardPin
  private var motion: ShaftMotion
  private var hasPulses = false
  private var commanded: ThinnedSeries
  private var shaft: ThinnedSeries

  /// `series` must be empty.
  init(_ pin: BoardPin, _ motion: ShaftMotion, _ series: ThinnedSeries) {
    self.pin = pin
    self.motion = motion
    (commanded, shaft) = (series, series)
    shaft.append(.init(.zero, motion.target))
  }

  /// `followsCommands`: whether the shaft follows the commanded pulses.
  mutating func take(_ output: Output, at time: Instant, followsCommands: Bool) {
    switch output {
    case .servo(let degrees, let microseconds, _):
      commanded.append(.init(time, Double(degrees)))
      guard followsCommands else { break }
      hasPulses = true
      add(motion.follow(pulse: Double(microseconds), from: time))
    case .pulse(let microseconds, _):
      hasPulses = true
      add(motion.follow(pulse: microseconds, from: time))
    default: break
    }
  }

  /// The angle before a restart is not held after it.
  mutating func restart() { commanded.dropBefore() }

  /// Ends the session, of which the picture shows the part from `start` to `end`. Also returns
  /// whether samples were left out.
  mutating func finished(
    from start: Instant, to end: Instant, sessionEnd: Instant
  ) -> (servo: PlottedServo, isThinned: Bool) {
    add(motion.arrive(before: sessionEnd))
    add([.init(time: sessionEnd, degrees: motion.degrees(at: sessionEnd))])
    let series = [commanded, shaft].map { $0.finished(at: end) }
    let servo = PlottedServo(
      pin, commanded: series[0].samples.held(from: start, to: end),
      shaft: hasPulses ? series[1].samples.joined(from: start, to: end) : [])
    return (servo, series.contains { $0.isThinned })
  }

  private mutating func add(_ corners: [ShaftMotion.Corner]) {
    for corner in corners { shaft.append(.init(corner.time, corner.degrees)) }
  }
}
