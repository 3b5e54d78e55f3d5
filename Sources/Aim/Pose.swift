/// Where a turret points, computed from its commands: it turns to each at a constant speed, and
/// slows down before it is there, as a servo does whose motor is driven in proportion to the way
/// that is left. It begins at 90 degrees.
struct Pose: Hashable, Sendable {
  struct Leg: Hashable {
    var begin: Double
    var from: Double
    var to: Double
  }

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
    let from = isUnknown ? (degrees > 90 ? 0 : 180) : self.degrees(at: time)
    isUnknown = false
    legs.append(Leg(begin: time, from: from, to: degrees))
    if legs.count > Self.countMax { legs.removeFirst(Self.countMax / 2) }
  }

  func degrees(at time: Double) -> Double {
    guard let leg = legs.last(where: { $0.begin <= time }) else { return legs.first?.from ?? 90 }
    let way = abs(leg.to - leg.from)
    let passed = time - leg.begin
    let slowing = min(way, speed * Self.slowing)
    let fast = (way - slowing) / speed
    let left: Double
    if passed < fast {
      left = way - passed * speed
    } else {
      // The exponential of what has passed since, as the inverse of its series.
      let x = (passed - fast) / Self.slowing
      left = slowing / (1 + x * (1 + x / 2 * (1 + x / 3)))
    }
    return leg.to + (leg.to < leg.from ? left : -left)
  }

  /// The time constant with which it slows down, in seconds. That of the servos of the rig is 0.03
  /// to 0.1.
  private static let slowing = 0.06
}
