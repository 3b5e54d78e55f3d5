/// The chain from a camera's observations to the command for the turret.
///
/// A class, as in the drawing game, has no box and describes the whole picture. The middle of the
/// picture is the target if the gate requires a class and is open, the class passes the filters,
/// and nothing that passes has a box.
public struct Aimer: Sendable {
  public let camera: Camera
  public let options: AimOptions
  private let sights: Sights
  private var choice: TargetChoice
  private var follower: Follower?
  private var tiltFollower: Follower?
  private var commands = CommandFilter()
  private var trigger: Trigger?

  public init(camera: Camera, options: AimOptions = AimOptions()) throws(AimError) {
    try options.check()
    self.camera = camera
    self.options = options
    sights = try Sights(camera: camera, options: options)
    choice = TargetChoice(stick: options.stick)
    follower = options.follow.map {
      Follower($0, within: Self.limits(options.pan, mirrored: options.mirror))
    }
    // A camera on a turret that does not tilt looks straight ahead.
    tiltFollower =
      options.command.tilts
      ? options.follow.map {
        Follower($0, within: Self.limits(options.tilt, mirrored: options.mirrorTilt))
      } : nil
    trigger = Trigger(options)
  }

  private static func limits(_ limits: ClosedRange<Int>, mirrored: Bool) -> ClosedRange<Double> {
    let (low, high) = (Double(limits.lowerBound), Double(limits.upperBound))
    return mirrored ? 180 - high...180 - low : low...high
  }

  /// Processes a frame. Only these depend on earlier frames: the target that is kept, whether the
  /// command has already been sent, what is known of a target that is followed, and for how long
  /// the turret has been on target.
  public mutating func see(_ frame: Frame) -> Sighting {
    var sighting = sight(frame)
    sighting.command = commands(sighting.wanted)
    if let command = sighting.command { trigger?.take(command, at: frame.time) }
    if trigger?.isReady(sighting.place, at: frame.time) == true {
      sighting.shot = trigger?.fire(at: frame.time)
    }
    return sighting
  }

  /// Processes a frame for a caller that itself keeps track of what was sent, for example because
  /// it limits the rate: `command` and `shot` are nil.
  package mutating func sight(_ frame: Frame) -> Sighting {
    let sound = SoundFilter()(frame.found)
    let gate = options.require.map { $0(sound) }
    let passed = filtered(sound)
    let candidates = candidates(among: passed)
    let isOpen = gate?.isOpen ?? true
    let target = choice.choose(from: isOpen ? candidates : [])
    let whole = target?.box ?? (isOpen && candidates.isEmpty ? wholePicture(passed) : nil)
    let point = target?.point(options.at)
    // A point is a box without a size.
    let box = point.map { Box($0.x, $0.y, 0, 0) } ?? whole

    var sighting = Sighting(others: others(candidates, than: target))
    sighting.gate = gate
    sighting.target = target.flatMap(mark)
    sighting.lacksLandmark = options.at != .box && target != nil && point == nil
    let seen = box.flatMap(sights.angles)
    sighting.angles = seen
    sighting.offCentre = box.flatMap(sights.offCentre)
    let below = box.flatMap(sights.belowCentre)
    sighting.place = place(seen, right: sighting.offCentre, down: below)
    let tilt = tiltFollower?.see(below, at: frame.time)
    if let degrees = follower?.see(sighting.offCentre, at: frame.time) {
      let x = options.mirror ? 180 - degrees : degrees
      let y = tilt.map { options.mirrorTilt ? 180 - $0 : $0 }
      sighting.angles = Angles(x: x, y: y ?? seen?.y ?? 90)
    }
    sighting.angles = sighting.angles.map {
      Angles(x: $0.x.clamped(to: options.pan), y: $0.y.clamped(to: options.tilt))
    }
    sighting.wanted =
      sighting.angles.map { .aim($0, by: options.command) } ?? .lost(options.lost)
    sighting.distance = target?.box.flatMap { options.distances?.distance(share: $0.area) }
    return sighting
  }

  /// Called after a new connection, whose other end has no state: the next command is always sent.
  public mutating func reconnect() { commands.forget() }

  /// Returns where a target is that is seen at these angles, and so many degrees to the right of
  /// the camera's axis and below it.
  private func place(_ seen: Angles?, right: Double?, down: Double?) -> TargetPlace? {
    guard let seen else { return nil }
    guard let follow = options.follow, let right, let down else {
      return .turret(x: Double(seen.x), y: Double(seen.y))
    }
    switch follow.mount {
    case .turret: return .offset(x: right, y: down)
    case .fixed:
      return .turret(
        x: options.mirror ? 90 - right : 90 + right, y: options.mirrorTilt ? 90 - down : 90 + down)
    }
  }

  /// Applies the filters that the options choose, in this order.
  private func filtered(_ found: [Observation]) -> [Observation] {
    var found = found
    if options.minConfidence > 0 { found = ConfidenceFilter(least: options.minConfidence)(found) }
    if let label = options.label { found = LabelFilter(label)(found) }
    if options.leastHeight > 0 { found = HeightFilter(least: options.leastHeight)(found) }
    if let ratio = options.ratio { found = AspectFilter(ratio, picture: camera.seen)(found) }
    if let most = options.maxOverlap { found = OverlapFilter(most: most)(found) }
    return found
  }

  private func candidates(among found: [Observation]) -> [Observation] {
    guard let strips = options.strips else {
      return found.contains { $0.box == nil } ? found.filter { $0.box != nil } : found
    }
    return strips.pairs(in: found, picture: camera.seen).map { $0.observation }
  }

  private func wholePicture(_ passed: [Observation]) -> Box? {
    guard let gate = options.require, options.strips == nil else { return nil }
    return passed.contains { $0.kind == .class && gate([$0]).isOpen } ? .unit : nil
  }

  private func others(_ candidates: [Observation], than target: Observation?) -> [Mark] {
    var others = candidates
    if let target, let index = others.firstIndex(of: target) { others.remove(at: index) }
    guard !others.isEmpty else { return [] }
    return others.sorted { Ranking.isBigger($0, than: $1) }.compactMap(mark)
  }

  private func mark(_ observation: Observation) -> Mark? {
    observation.box.map { Mark(observation, box: sights.inView($0)) }
  }
}

/// Passes a command only if it differs from the last one passed, so `L` is sent once. The first
/// command always passes, even if it is `L`, as in the face-tracking app: the turret's state is not
/// known.
public struct CommandFilter: Hashable, Sendable {
  public private(set) var last: TurretCommand?

  public init() {}

  public mutating func callAsFunction(_ command: TurretCommand) -> TurretCommand? {
    guard command != last, !command.bytes.isEmpty else { return nil }
    last = command
    return command
  }

  /// Called after a new connection, whose other end has no state: the next command passes.
  public mutating func forget() { last = nil }
}

extension Int {
  fileprivate func clamped(to limits: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, limits.lowerBound), limits.upperBound)
  }
}
