/// Where a turret points, computed from its commands: it speeds up and slows down as fast as it can
/// without going beyond, as a servo does whose motor is driven in proportion to the way that is
/// left. It begins at 90 degrees.
struct Pose: Hashable, Sendable {
  struct Leg: Hashable {
    var begin: Double
    var from: Double
    var to: Double
    /// The speed with which it begins, in degrees a second.
    var speed: Double
  }

  /// The speed that it does not exceed, in degrees a second.
  var speed = 500.0
  private var legs: [Leg] = []
  /// Whether it is not known where the turret points before the next command.
  private(set) var isUnknown = false
  /// Longer than any picture is on its way.
  private static let countMax = 256

  /// Called if the turret has moved without a command for an angle. The next such command is taken
  /// to begin as far away as possible.
  mutating func forget() {
    legs.removeAll()
    isUnknown = true
  }

  /// Takes a command that moves the turret from `time` on.
  mutating func command(_ degrees: Double, at time: Double) {
    if let last = legs.last, last.to == degrees { return }
    let now = isUnknown ? (degrees: degrees > 90 ? 0 : 180, speed: 0) : state(at: time)
    isUnknown = false
    legs.append(Leg(begin: time, from: now.degrees, to: degrees, speed: now.speed))
    if legs.count > Self.countMax { legs.removeFirst(Self.countMax / 2) }
  }

  func degrees(at time: Double) -> Double { state(at: time).degrees }

  private func state(at time: Double) -> (degrees: Double, speed: Double) {
    guard let leg = legs.last(where: { $0.begin <= time }) else {
      return (legs.first?.from ?? 90, 0)
    }
    let way = leg.from - leg.to
    // From rest, such a movement is fastest after one time constant, at way / (e * constant).
    let constant = max(Self.least, abs(way) / (2.718281828 * speed))
    let passed = time - leg.begin
    let x = passed / constant
    // Nothing is left of it then.
    guard x < 50 else { return (leg.to, 0) }
    // The exponential of -x, as the inverse of its series.
    let left = 1 / (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5)))))
    let rate = leg.speed + way / constant
    let rest = way + rate * passed
    return (leg.to + rest * left, (rate - rest / constant) * left)
  }

  /// The time constant of a short way, in seconds: the one with which this is nearest to the servos
  /// of the rig, the SG90, MG90S and MG996R, on their ways after faces that jump and walk.
  private static let least = 0.025
}
