import Turret

/// What a session shows of one servo, in order of time.
struct ServoRecord: Sendable {
  /// The commanded angles.
  var writes: [ServoWrite] = []
  /// The pulses on its pin: their rising edges, and their widths in microseconds.
  var pulses: [(time: Instant, width: Double)] = []
  var shaft: ShaftPath

  init(_ data: ServoData) { shaft = ShaftPath(data) }

  mutating func take(pulse width: Double, at instant: Instant) {
    pulses.append((instant, width))
    shaft.follow(pulse: width, at: instant)
  }

  /// Returns the last write by an instant; nil if there is none.
  func commanded(at instant: Instant) -> ServoWrite? {
    let after = writes.partitioningIndex { $0.time > instant }
    return after > 0 ? writes[after - 1] : nil
  }
}
