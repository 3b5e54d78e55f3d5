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
/// target's place in it. A filter of these angles gives a speed, by which the command is ahead of
/// the picture. In pixels, the turret's own turn would be taken for the target's.
///
/// The filter fits a line through the pictures since the target began to move, and later becomes an
/// alpha-beta filter. A target that is not where it was expected has jumped or begun to move, and
/// the filter begins again there. As the turret moves only a delay later, it has seen the speed by
/// then. A head turns as fast as a person walks, but soon stops: until a movement has lasted for
/// longer, a part of its speed counts. A picture that contradicts a movement stops the turret at
/// once.
struct Follower: Hashable, Sendable {
  let options: FollowOptions
  /// What is known of the target: when a picture showed it last, where, and its speed in degrees a
  /// second.
  private var target: Known?
  /// How many pictures that is known from, those that count little for less than one.
  private var count = 0.0
  /// Where it began to move, and for how long pictures have shown that it does.
  private var begin = 0.0
  private var moved = 0.0
  /// How far it was behind its speed in the last picture, in degrees. Once the movement has lasted,
  /// without what the camera's direction explains.
  private var slack = 0.0
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

  /// How the camera turned around the time at which it took a picture, in degrees.
  private struct Turn {
    /// How wrong its direction can be.
    var doubt = 0.0
    /// How far it turned shortly before, and until the delay is over even if that is misjudged.
    var before = 0.0
    var around = 0.0
  }

  /// `limits` are the angles to which it turns at most.
  init(_ options: FollowOptions, within limits: ClosedRange<Double> = 0...180) {
    self.options = options
    self.limits = limits
    pose.speed = options.servoSpeed
  }

  /// A target that is this far from where it was expected has jumped or begun to move, in degrees:
  /// ten times a noise of 1.5 pixels, with 60 degrees in 640 pixels. This many times further the
  /// more uncertain the camera's direction is.
  private static let leastMove = 1.5
  private static let moveDoubts = 4.0
  /// A target that is this far behind its speed has stopped, in degrees: less than 40 degrees a
  /// second make from one picture to the next.
  private static let leastStop = 1.0
  /// Both are larger by up to this after the turret has turned by as much, in the time until it
  /// rests: an SG90 stops up to 2 degrees beside the command.
  private static let turnMax = 2.0
  private static let rest = 0.3
  /// A turn by less is none, in degrees: the smallest command.
  private static let leastTurn = 1.0
  /// A camera's direction that is this uncertain halves the gain, in degrees. A target that stops
  /// is not taken to be where such a picture shows it.
  private static let usualDoubt = 0.75
  private static let stopDoubt = 0.5
  /// A direction from which the filter does not begin.
  private static let doubtMax = 2.0
  /// A slower target stands, in degrees a second: its speed is noise.
  private static let leastSpeed = 2.5
  /// A target that moves from picture to picture by more jumps, in degrees a second.
  private static let fastest = 120.0
  /// From this many pictures a line's speed has the noise of the alpha-beta filter's with the usual
  /// gain.
  private static let manyPictures = 8.0
  /// For how long pictures must show a movement until its whole speed counts, in seconds. A head
  /// that turns by 15 degrees at 40 degrees a second takes 0.375 s, the first of which look like a
  /// target that stands.
  private static let confirmedAfter = 0.34
  /// Until then no more than this counts of a speed, in degrees a second.
  private static let doubtedSpeed = 20.0
  /// And of one that can be that of a head, this part of its speed times the age of the pictures,
  /// which a turn of the head may cost, less what an SG90 itself goes beyond a command, in degrees.
  /// Between the two speeds, something between.
  private static let headSpeeds = 30.0...40.0
  private static let doubtedPart = 0.5
  private static let ownOvershoot = 1.5
  /// The least such way, in degrees: a command is rounded, and is then not ahead of the target.
  private static let leastWay = -0.5
  /// A target this fast that has moved for longer is led for this part of the pictures' age more:
  /// the servos of the rig are 0.04 to 0.05 s behind a command that moves. With new pictures, this
  /// would cost more where the target stops than it gains on its way.
  private static let trailingPart = 0.25
  /// A moving target's command is ahead by so many degrees less for each degree by which its last
  /// picture was further behind than the second.
  private static let braking = 3.0
  private static let leastSlack = 0.5
  /// The speeds are near the noise below this one, in degrees a second: a movement that has lasted
  /// is not braked then, and a new one, down to the second, only if the target is behind by what
  /// starts a new movement.
  private static let brakedSpeed = 20.0
  private static let leastBrakedSpeed = 5.0

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
    let isMoving =
      abs(target.speed) >= Self.leastSpeed
      && (count >= Self.manyPictures || abs(target.degrees - begin) > Self.leastMove)
    let speed = isMoving ? target.speed : 0
    let goal = target.degrees + lead(abs(speed), for: now + options.lead - target.time, speed < 0)
    let degrees = limited(held(clamped(goal), speed), at: now)
    pose.command(degrees.rounded(), at: now + options.lead)
    return Int(degrees.rounded())
  }

  private var isConfirmed: Bool { moved > Self.confirmedAfter }

  /// How far a target goes in some seconds, as far as its speed is believed.
  private func lead(_ speed: Double, for seconds: Double, _ isBackwards: Bool) -> Double {
    let (low, high) = (Self.headSpeeds.lowerBound, Self.headSpeeds.upperBound)
    let share = min(max((speed - low) / (high - low), 0), 1)
    var way = speed * seconds
    if isConfirmed {
      way += share * Self.trailingPart * speed * options.age
    } else {
      let slow = min(speed, Self.doubtedSpeed) * seconds
      let head = max(Self.doubtedPart * speed * options.age - Self.ownOvershoot, Self.leastWay)
      way = slow + share * (min(head, way) - slow)
    }
    if speed >= (isConfirmed ? Self.brakedSpeed : Self.leastBrakedSpeed) {
      let isSure = !isConfirmed && speed >= Self.brakedSpeed
      let least = isSure ? Self.leastSlack : Self.leastStop
      let braked = way - Self.braking * max(0, slack - least)
      // No further back than where the picture shows it.
      way = max(braked, min(way, -slack))
    }
    return isBackwards ? -way : way
  }

  /// Takes the target's place in a picture taken at `time`.
  private mutating func learn(_ offCentre: Double, _ time: Double) {
    let isOnTurret = options.mount == .turret
    let turn = isOnTurret ? self.turn(at: time) : Turn()
    let seen = (isOnTurret ? pose.degrees(at: time) : 90) + offCentre
    guard let last = target, time > last.time, options.gain < 1 else {
      // While it turns far, the direction is not known at all.
      if target == nil || turn.doubt < Self.doubtMax { restart(seen, time) }
      return
    }
    let passed = time - last.time
    guard passed < 1 else { return restart(seen, time) }
    let expected = last.degrees + last.speed * passed
    let error = seen - expected
    let wasMoving = abs(last.speed) > Self.leastSpeed
    let isBehind = wasMoving && error * last.speed < 0
    slack = isBehind ? max(0, abs(error) - (isConfirmed ? turn.doubt : 0)) : 0
    let most =
      isBehind
      ? Self.leastStop + min(turn.before, isConfirmed ? Self.turnMax : Self.turnMax / 2)
        + turn.doubt
      : Self.leastMove + min(turn.around, Self.turnMax) + Self.moveDoubts * turn.doubt
    let isFar = abs(error) > Self.fastest * passed
    if abs(error) > most, count > 1.5 || isFar {
      let (oldBegin, oldMoved) = (begin, moved)
      restart(isBehind && turn.doubt > Self.stopDoubt ? last.degrees : seen, time)
      // The next pictures show the turret's own errors, which a line through few would follow.
      if turn.around > Self.leastTurn { count = Self.manyPictures }
      // It goes on, faster.
      if wasMoving, !isBehind, !isFar { (begin, moved) = (oldBegin, oldMoved) }
      return
    }
    let share = turn.doubt / Self.usualDoubt
    let certainty = 1 / (1 + share * share)
    count = min(count + certainty, 1_000)
    // The gains of a line through so many pictures, and at least those of the alpha-beta filter. T.
    // Benedict, G. Bordner (1962): the second gain that follows best for a given first.
    let n = max(count, 2)
    let gain = max(2 * (2 * n - 1) / (n * (n + 1)), options.gain)
    let second = max(6 / (n * (n + 1)), options.gain * options.gain / (2 - options.gain))
    let speed = last.speed + second * certainty * certainty * error / passed
    let degrees = expected + gain * certainty * error
    if !isBehind || abs(error) < min(most / 2, Self.leastSlack) { moved += passed * certainty }
    if speed * last.speed < 0 || abs(speed) < Self.leastSpeed && count > 3 {
      begin = degrees
      moved = 0
    }
    target = Known(time: time, degrees: degrees, speed: speed)
  }

  /// Begins with what one picture shows.
  private mutating func restart(_ seen: Double, _ time: Double) {
    target = Known(time: time, degrees: seen, speed: 0)
    begin = seen
    moved = 0
    count = 1
  }

  /// What is misjudged of the delays is a part of them. A turn with the target's own speed hides
  /// nothing: then the direction is always wrong by as much.
  private func turn(at time: Double) -> Turn {
    let part = 0.3 * options.age + 0.03
    let ahead = pose.degrees(at: time + part)
    let way = (ahead - pose.degrees(at: time - part)) / 2
    let own = (target?.speed ?? 0) * part
    var turn = Turn()
    turn.doubt = abs(way - min(max(own, min(way, 0)), max(way, 0)))
    var (low, high) = (Double.infinity, -Double.infinity)
    for step in 0...3 {
      let degrees = pose.degrees(at: time - Self.rest * Double(step) / 3)
      (low, high) = (min(low, degrees), max(high, degrees))
    }
    turn.before = high - low
    turn.around = max(high, ahead) - min(low, ahead)
    return turn
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
