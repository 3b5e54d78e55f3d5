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
  private var commands = CommandFilter()

  public init(camera: Camera, options: AimOptions = AimOptions()) throws(AimError) {
    try options.check()
    self.camera = camera
    self.options = options
    sights = try Sights(camera: camera, options: options)
    choice = TargetChoice(stick: options.stick)
    follower = options.follow.map { Follower($0) }
  }

  /// Processes a frame. Only these depend on earlier frames: the target that is kept, whether the
  /// command has already been sent, and what is known of a target that is followed.
  public mutating func see(_ frame: Frame) -> Sighting {
    var sighting = sight(frame)
    sighting.command = commands(sighting.wanted)
    return sighting
  }

  /// Processes a frame for a caller that itself keeps track of what was sent, for example because
  /// it limits the rate: `command` is nil.
  package mutating func sight(_ frame: Frame) -> Sighting {
    let sound = SoundFilter()(frame.found)
    let gate = options.require.map { $0(sound) }
    let passed = filtered(sound)
    let candidates = candidates(among: passed)
    let isOpen = gate?.isOpen ?? true
    let target = choice.choose(from: isOpen ? candidates : [])
    let box = target?.box ?? (isOpen && candidates.isEmpty ? wholePicture(passed) : nil)

    var sighting = Sighting(others: others(candidates, than: target))
    sighting.gate = gate
    sighting.target = target.flatMap(mark)
    sighting.angles = box.flatMap(sights.angles)
    sighting.offCentre = box.flatMap(sights.offCentre)
    if let degrees = follower?.see(sighting.offCentre, at: frame.time) {
      let x = options.mirror ? 180 - degrees : degrees
      sighting.angles = Angles(x: x, y: sighting.angles?.y ?? 90)
    }
    sighting.distance = target?.box.flatMap { options.distances?.distance(share: $0.area) }
    return sighting
  }

  /// Called after a new connection, whose other end has no state: the next command is always sent.
  public mutating func reconnect() { commands.forget() }

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
    guard command != last else { return nil }
    last = command
    return command
  }

  /// Called after a new connection, whose other end has no state: the next command passes.
  public mutating func forget() { last = nil }
}
