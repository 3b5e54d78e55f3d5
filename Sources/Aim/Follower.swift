/// How a turret follows a target that moves. Angles are those of the turret: 90 is straight ahead,
/// and more is further to the right.
public struct FollowOptions: Hashable, Sendable {
  /// Where the camera is.
  public enum Mount: String, Hashable, Sendable, CaseIterable {
    /// Beside the turret. It looks at 90 degrees.
    case fixed
    /// On the turret. It looks where that points.
    case turret
  }

  public var mount = Mount.fixed
  /// How old a picture is when its frame is processed, in seconds.
  public var age = 0.0
  /// The time from a command to the shaft's movement, in seconds.
  public var lead = 0.0
  /// How fast the servo is taken to turn, in degrees a second. Only for a camera on the turret,
  /// whose direction when it took a picture is computed from the commands.
  public var servoSpeed = 500.0
  /// A target that is not further away than this from the last command moves nothing, in degrees.
  /// Once it is, the turret follows until it is a third of that near.
  public var deadZone = 0.0
  /// How much a picture counts beside the prediction from those before, above 0 and at most 1; 1
  /// predicts nothing.
  public var gain = 1.0
  /// The greatest speed of the commands, in degrees a second; nil for no limit.
  public var speed: Double?
  /// How fast that speed changes at most, in degrees a second, a second; nil for no limit.
  public var acceleration: Double?
  /// How long a target that is no longer seen is taken to go on, in seconds.
  public var coast = 0.0

  public init() {}

  /// What the rig's sweep chose: see docs/guide/following.md. The age of the pictures is the
  /// camera's.
  public static let usual: FollowOptions = {
    var options = FollowOptions()
    options.age = 0.1
    options.lead = 0.03
    options.deadZone = 2.5
    options.gain = 0.35
    options.coast = 0.3
    return options
  }()

  func check() throws(AimError) {
    func need(_ name: String, _ value: Double, _ range: ClosedRange<Double>, _ words: String)
      throws(AimError)
    {
      guard range.contains(value) else { throw .outOfRange(name, words) }
    }
    try need("the age of a picture", age, 0...10, "0 to 10 s")
    try need("the lead", lead, 0...10, "0 to 10 s")
    try need("the servo's speed", servoSpeed, 1...10_000, "1 to 10000 degrees a second")
    try need("the dead zone", deadZone, 0...90, "0 to 90 degrees")
    try need("the gain", gain, 0.01...1, "0.01 to 1")
    try need("the greatest speed", speed ?? 1, 0.1...100_000, "0.1 to 100000 degrees a second")
    try need(
      "the greatest acceleration", acceleration ?? 1, 0.1...1_000_000,
      "0.1 to 1000000 degrees a second, a second")
    try need("the time to go on", coast, 0...60, "0 to 60 s")
  }
}

/// Follows a target in the world, whatever the camera is mounted on.
///
/// Each picture gives the target's angle: where the camera looked when it was taken, plus the
/// target's place in it. An alpha-beta filter of these angles gives a speed, by which the command
/// is ahead of the picture. In pixels, the turret's own turn would be taken for the target's. A
/// Kalman filter for a target of constant speed, at a constant rate, becomes an alpha-beta filter
/// after a few pictures; here the rate changes, and the noise is not known.
///
/// A target that is not where it was expected has jumped, and the filter begins again there. A
/// speed is confirmed once the target has kept it for longer than a head needs to turn: until then
/// the command is ahead by little, so that the turret does not go far beyond a movement that ends.
struct Follower: Hashable, Sendable {
  let options: FollowOptions
  /// What is known of the target: when a picture showed it last, where, and its speed in degrees a
  /// second.
  private var target: Known?
  /// Since when it has moved in one direction.
  private var begin = 0.0
  /// Its last jump: to where, when, and in which direction.
  private var jump: Known?
  private var pose = Pose()
  /// The last command, not rounded, when it was given, and its speed.
  private var order: Known?
  private var isHolding = false
  private let limits: ClosedRange<Double>

  private struct Known: Hashable {
    var time: Double
    var degrees: Double
    var speed: Double
  }

  /// `limits` are the angles to which it turns at most.
  init(_ options: FollowOptions, within limits: ClosedRange<Double> = 0...180) {
    self.options = options
    self.limits = limits
    pose.speed = options.servoSpeed
  }

  /// A target that is this far from where it was expected has jumped, in degrees, and this many
  /// times further the more uncertain the camera's direction is. An SG90 stops up to 2 degrees
  /// beside the command, which is none.
  private static let leastJump = 3.0
  private static let jumpDoubts = 4.0
  /// A target that jumps twice in one direction within this time moves, in seconds.
  private static let jumpPause = 0.3
  /// A camera's direction that is this uncertain halves the gain, in degrees. If it is more
  /// uncertain than the other, nothing is learnt from it.
  private static let usualDoubt = 0.75
  private static let doubtMax = 2.0
  /// A slower target stands, in degrees a second: its speed is noise.
  private static let leastSpeed = 2.5
  /// How long a target must have moved until its speed begins to be believed, and is, in seconds. A
  /// head that turns by 15 degrees at 40 degrees a second takes 0.375 s.
  private static let doubtedFor = 0.36
  private static let confirmedAfter = 0.46
  /// How far the command is ahead at most by a speed that is not confirmed, in degrees.
  private static let leadMax = 1.5
  /// A target that is this far behind what its speed promised slows down, in degrees.
  private static let slowing = 1.0
  /// What a speed that is not confirmed is above this, in degrees a second, fades with this time
  /// constant, in seconds, while the turret's own turn hides whether the target still moves.
  private static let slowSpeed = 6.0
  private static let fading = 0.03

  /// Takes a frame that is processed at `now`: how far the target is from the camera's axis, in
  /// degrees to the right, nil if it is not seen. Returns the angle to command, in whole degrees;
  /// nil for none.
  mutating func see(_ offCentre: Double?, at now: Double) -> Int? {
    let taken = now - options.age
    if let offCentre, offCentre.isFinite { learn(offCentre, taken) }
    guard let target else { return nil }
    guard offCentre != nil || now - options.age - target.time <= options.coast else {
      self.target = nil
      isHolding = false
      return nil
    }
    let speed = abs(target.speed) < Self.leastSpeed ? 0 : target.speed
    let lead = speed * (now + options.lead - target.time)
    let most = max(abs(lead) * confirmation(at: target.time), Self.leadMax)
    let goal = target.degrees + min(max(lead, -most), most)
    let degrees = limited(held(clamped(goal), speed), at: now)
    pose.command(degrees.rounded(), at: now + options.lead)
    return Int(degrees.rounded())
  }

  /// Takes the target's place in a picture taken at `time`.
  private mutating func learn(_ offCentre: Double, _ time: Double) {
    var axis = 90.0
    // How wrong the camera's direction can be.
    var doubt = 0.0
    if options.mount == .turret {
      axis = pose.degrees(at: time)
      // What is misjudged of the delays is a part of them.
      if options.age > 0 {
        let part = 0.3 * options.age + 0.03
        doubt = abs(pose.degrees(at: time + part) - pose.degrees(at: time - part)) / 2
      }
    }
    let seen = axis + offCentre
    guard let last = target, time > last.time, options.gain < 1 else {
      // While it turns far, the direction is not known at all.
      if target == nil || doubt < Self.doubtMax { restart(seen, time) }
      return
    }
    let passed = time - last.time
    let expected = last.degrees + last.speed * passed
    let error = seen - expected
    let doubts = Self.jumpDoubts * doubt
    guard passed < 1 else { return restart(seen, time) }
    guard abs(error) < Self.leastJump + doubts else {
      return take(Known(time: time, degrees: seen, speed: error < 0 ? -1 : 1))
    }
    let share = doubt / Self.usualDoubt
    let certainty = 1 / (1 + share * share)
    let gain = options.gain * certainty
    // T. Benedict, G. Bordner (1962): the second gain that follows best for a given first. With
    // that of the lower gain, a turret that turns after a face would learn its speed too late.
    let second = options.gain * options.gain / (2 - options.gain) * certainty
    let speed = faded(last.speed + second * error / passed, over: passed, at: last.time, doubt)
    let isSlowing = error * last.speed < 0 && abs(error) > Self.slowing + doubts
    if isSlowing || abs(speed) < Self.leastSpeed || speed * last.speed < 0 { begin = time }
    target = Known(time: time, degrees: expected + gain * error, speed: speed)
  }

  /// Begins with what one picture shows.
  private mutating func restart(_ seen: Double, _ time: Double) {
    target = Known(time: time, degrees: seen, speed: 0)
    begin = time
  }

  /// Begins again after a jump, whose speed is only its direction. A target that moves by more than
  /// a jump from picture to picture jumps again and again: two of them give its speed. If the
  /// camera turns with the turret, the next pictures could not show whether it is right.
  private mutating func take(_ new: Known) {
    restart(new.degrees, new.time)
    if options.mount == .fixed, let last = jump, last.speed == new.speed,
      new.time - last.time < Self.jumpPause
    {
      target?.speed = (new.degrees - last.degrees) / (new.time - last.time)
      begin = last.time
    }
    jump = new
  }

  /// How much a speed is believed, 0...1.
  private func confirmation(at time: Double) -> Double {
    let share = (time - begin - Self.doubtedFor) / (Self.confirmedAfter - Self.doubtedFor)
    return min(max(share, 0), 1)
  }

  /// What is left of a speed after a picture from which little is learnt.
  private func faded(
    _ speed: Double, over passed: Double, at time: Double, _ doubt: Double
  ) -> Double {
    let square = (doubt / Self.doubtMax) * (doubt / Self.doubtMax)
    let hidden = square * square / (1 + square * square)
    let part = min(1, hidden * (1 - confirmation(at: time)) * passed / Self.fading)
    let excess = max(0, abs(speed) - Self.slowSpeed) * part
    return speed < 0 ? speed + excess : speed - excess
  }

  private func clamped(_ degrees: Double) -> Double {
    min(max(degrees, limits.lowerBound), limits.upperBound)
  }

  private mutating func held(_ goal: Double, _ speed: Double) -> Double {
    guard options.deadZone > 0, let order else { return goal }
    let way = abs(goal - order.degrees)
    if isHolding {
      guard way > options.deadZone else { return order.degrees }
      isHolding = false
    }
    guard speed == 0, way <= options.deadZone / 3 else { return goal }
    isHolding = true
    return order.degrees
  }

  private mutating func limited(_ goal: Double, at now: Double) -> Double {
    var next = Known(time: now, degrees: goal, speed: 0)
    if let order, now > order.time, options.speed != nil || options.acceleration != nil {
      let passed = now - order.time
      var speed = (goal - order.degrees) / passed
      if let most = options.acceleration {
        // No faster than it can stop at the goal.
        let way = abs(goal - order.degrees)
        let stopping = (2 * most * way).squareRoot()
        speed = min(max(speed, -stopping), stopping)
        speed = min(max(speed, order.speed - most * passed), order.speed + most * passed)
      }
      if let most = options.speed { speed = min(max(speed, -most), most) }
      next.degrees = clamped(order.degrees + speed * passed)
      next.speed = speed
    }
    order = next
    return next.degrees
  }
}
