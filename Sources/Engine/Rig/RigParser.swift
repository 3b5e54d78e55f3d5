package import Aim
import Devices
package import Judging
package import Sketches
import Traces

/// A rig as its file states it: the plan, the board, and the rules.
package struct RigFile: Sendable {
  package var plan: RigPlan
  /// The sketch, the board and the faults of the line.
  package var stated = StatedSession()
  /// The commands of the sketch; nil for those of the firmware. See `adopt`.
  package var profile: Scenario.ProfileSource?
  /// The device as on the command line; nil for the model.
  package var device: String?
  package var rules: [Rule] = []
  /// The first of the further servos, and where it is stated; nil if there is none.
  package fileprivate(set) var otherServo: (pin: BoardPin, path: String, place: Notation.Place)?
  fileprivate var followRemarks: [String] = []

  /// What there is to say if the bench aims: what it takes for granted, and the scene has
  /// otherwise.
  package var aimRemarks: [String] {
    let tilts = plan.aim.command.tilts
    guard tilts != (plan.servos.tilt != nil) else { return followRemarks }
    let remark: String
    if !tilts {
      remark =
        "The command with which the bench aims has no {tilt}, so the turret never tilts: state "
        + "command under aim, for example P{pan},{tilt}\\n, or a profile."
    } else if plan.scene.camera.view != nil, !plan.scene.faces.allSatisfy({ $0.path.isLevel }) {
      remark =
        "The bench aims with a {tilt}, but nothing tilts the camera: state the pin of the servo "
        + "that does, for example tilt: D10."
    } else {
      return followRemarks
    }
    return followRemarks + [remark]
  }

  /// Whether the options of aim state the commands for the angles and for a lost target.
  fileprivate var statesCommand = false
  fileprivate var statesLost = false

  /// Takes the commands of a profile, unless the options of aim state others.
  package mutating func adopt(_ profile: ProfileChoice) throws(CommandTextError) {
    stated.profile = profile
    if let pin = profile.ownProfile?.servo(named: "tilt") { tilt(by: pin) }
    guard !statesCommand else { return }
    let lost = plan.aim.lost
    if let own = profile.ownProfile {
      try plan.aim.adopt(own)
    } else {
      (plan.aim.command, plan.aim.lost) = (.bench, AimOptions().lost)
    }
    if statesLost { plan.aim.lost = lost }
  }

  /// Lets the servo at a pin tilt the turret, unless another does.
  fileprivate mutating func tilt(by pin: BoardPin) {
    guard plan.servos.tilt == nil else { return }
    plan.servos.tilt = pin
    plan.servos.others[pin] = plan.servos.others[pin] ?? plan.servos.own
    guard let view = stated.view?.pan else { return }
    let half = (plan.scene.camera.verticalFOV * 50).rounded() / 100
    stated.view = CameraView(view, tilt: -half...half)
  }
}

/// Reads the file of a rig: a mapping with faces, and what else differs from the usual.
package struct RigParser {
  private let path: String

  private static let keys = [
    "name", "length", "seed", "faces", "camera", "detector", "aim", "link", "servo", "servos",
    "tilt", "supply", "firmware", "profile", "device", "baud", "faults", "expect",
  ]
  private static let faceKeys = ["start", "tilt", "distance", "width", "height", "path"]
  private static let cameraKeys = [
    "mount", "look", "fov", "size", "rate", "exposure", "delay", "mirrored",
  ]
  private static let aimKeys = [
    "mapping", "mirror", "min-confidence", "max-overlap", "min-height", "stick", "rate", "follow",
  ]
  private static let commandKeys = [
    "command", "lost", "fire", "fire-when", "pan", "tilt", "mirror-tilt",
  ]
  private static let followKeys = [
    "mount", "age", "lead", "servo-speed", "dead-zone", "gain", "max-speed", "max-acceleration",
    "coast",
  ]
  private static let motions = ["stand", "step", "ramp", "sine", "walk", "hide", "angles"]
  private static let modifiers = ["for", "speed", "period", "hidden", "distance", "tilt"]

  /// `path` is used in messages and in the rules' places.
  package init(path: String) { self.path = path }

  /// Whether a name is that of an option under `aim`.
  package static func isAimOption(_ name: String) -> Bool {
    (aimKeys + commandKeys + followKeys).contains(name)
  }

  /// Reads a document. A scenario has such a mapping under `rig`.
  package func rig(_ document: Notation) throws(NotationError) -> RigFile {
    let members = try Members(document, Self.keys, "a rig: a mapping with faces")
    var seed: UInt64 = 1
    if let value = members["seed"] {
      guard let number = UInt64(try value.text("a whole number")) else {
        throw value.unexpected("a whole number")
      }
      seed = number
    }
    guard let list = members["faces"] else {
      throw NotationError(document.place, "expected \"faces\": where faces are and how they move")
    }
    var faces: [Scene.Face] = []
    for (index, item) in list.items.enumerated() {
      faces.append(try face(item, RandomStream(seed: seed, stream: 0x5CE_1000 + UInt64(index))))
    }
    guard !faces.isEmpty, faces.count <= 100 else { throw list.unexpected("1 to 100 faces") }
    var camera = SceneCamera()
    if let value = members["camera"] { camera = try self.camera(value) }
    var file = RigFile(plan: RigPlan(scene: Scene(faces: faces, camera: camera)))
    file.stated.view = camera.view.map { CameraView($0) }
    file.plan.seed = seed
    file.stated.seed = seed
    let longest: Instant = faces.map { $0.path.end }.max() ?? .zero
    if let value = members["length"] {
      let length = try value.duration()
      guard length > .zero, length <= SessionLimit.usual else {
        throw value.unexpected("a length of more than 0 s and at most a day")
      }
      file.plan.length = length
    } else if longest > Instant.zero {
      file.plan.length = longest - Instant.zero
    }
    if let value = members["detector"] { file.plan.scene.detector = try detector(value) }
    try aim(members["aim"] ?? .mapping([], document.place), &file)
    try checkAim(members["aim"]?.place ?? document.place, file.plan)
    if let value = members["link"] { try link(value, &file) }
    if let value = members["servo"] { file.plan.servos.own = try servo(value) }
    if let value = members["servos"] {
      try refuseTilt(in: value, "servos")
      for member in try value.members("servos by their pins, for example {D10: mg996r}") {
        guard let pin = BoardPin(name: member.key), pin.arduino != nil else {
          throw NotationError(
            member.keyPlace, "expected a pin, for example D10, found \(quoted(member.key))")
        }
        file.plan.servos.others[pin] = try servo(member.value)
        file.otherServo = file.otherServo ?? (pin, path, member.keyPlace)
      }
    }
    if let value = members["tilt"] {
      let expected = "the pin of the servo that tilts the turret, for example D10"
      guard let pin = BoardPin(name: try value.text(expected)), pin.arduino != nil else {
        throw value.unexpected(expected)
      }
      file.tilt(by: pin)
      file.otherServo = file.otherServo ?? (pin, path, value.place)
    }
    if let value = members["supply"] {
      file.plan.servos.supply = try supply(value)
      if let why = file.plan.servos.refusal { throw NotationError(value.place, why) }
    }
    try session(members, &file)
    return file
  }

  /// Refuses the servo that tilts where one may look for it.
  private func refuseTilt(in value: Notation, _ key: String) throws(NotationError) {
    guard case .mapping(let members, _) = value,
      let tilt = members.first(where: { $0.key == "tilt" })
    else { return }
    throw NotationError(
      tilt.keyPlace,
      "expected no \"tilt\" under \(key): the pin of the servo that tilts the turret is stated "
        + "next to it, for example tilt: D10")
  }

  private func session(_ members: Members, _ file: inout RigFile) throws(NotationError) {
    file.stated.title = try members["name"]?.text("a name")
    file.stated.firmware = try members.choice("firmware", Firmware.list)
    if let value = members["profile"] {
      if case .text(let text, _) = value, !text.isEmpty {
        file.profile = .file(text)
      } else {
        file.profile = .own(try ProfileParser(name: "profile").profile(value))
      }
    }
    file.device = try members["device"]?.text("a device, for example avr:build/my.elf")
    file.stated.baud = try members["baud"]?.baud()
    if let value = members["faults"] { file.stated.faults = try value.faults() }
    if let value = members["expect"] {
      file.rules = try RuleParser(path: path).rules(value)
      file.stated.add(file.rules)
    }
  }

  /// Adds what a scenario states about the session of its rig.
  package static func add(_ scenario: Scenario, to file: inout RigFile) {
    if let firmware = scenario.firmware { file.stated.firmware = firmware }
    if let baud = scenario.baud { file.stated.baud = baud }
    if let length = scenario.length { file.plan.length = length }
    if let seed = scenario.seed { (file.plan.seed, file.stated.seed) = (seed, seed) }
    file.stated.title = scenario.name
    file.stated.faults += scenario.faults
    file.rules += scenario.rules
    file.stated.add(scenario.rules)
  }

  // MARK: Faces

  private func face(_ value: Notation, _ random: RandomStream) throws(NotationError) -> Scene.Face {
    let members = try Members(value, Self.faceKeys, "a face, for example {start: 90}")
    let start = try members["start"].map { (value) throws(NotationError) in try angle(value) }
    let tilt = try members["tilt"].map { (value) throws(NotationError) in try self.tilt(value) }
    let distance = try members.number("distance", 0.05...1_000, "m", "a distance, for example 1.5m")
    var parts: [FacePath.Part] = []
    var here = start ?? 90
    for item in members["path"]?.items ?? [] { parts.append(try part(item, &here)) }
    guard parts.count <= 10_000 else { throw value.unexpected("at most 10000 parts of a path") }
    let seconds = parts.reduce(0) { $0 + $1.length.seconds }
    guard seconds <= SessionLimit.usual.seconds else {
      throw NotationError(value.place, "expected a path of at most a day")
    }
    let walked = parts.reduce(0) { sum, part in
      if case .walk = part.motion { sum + part.length.seconds } else { sum }
    }
    guard walked <= 36_000 else {
      throw NotationError(value.place, "expected walks of at most 10 hours in all")
    }
    let path = FacePath(
      from: start ?? 90, tilt: tilt ?? 90, at: distance ?? 1.5, parts, random: random)
    var face = Scene.Face(path)
    func size(_ key: String, _ expected: String) throws(NotationError) -> Double? {
      try members.number(key, 0.01...10, "m", expected)
    }
    face.width = try size("width", "a width, for example 0.16m") ?? face.width
    face.height = try size("height", "a height, for example 0.22m") ?? face.height
    return face
  }

  /// Reads a part of a path: `{ramp: 120, speed: 10°/s}`. `here` is where the face is, as far as
  /// that is known.
  private func part(
    _ value: Notation, _ here: inout Double
  ) throws(NotationError) -> FacePath.Part {
    let members = try Members(
      value, Self.motions + Self.modifiers, "a part of a path, for example {stand: 2s}")
    let given = members.all.filter { Self.motions.contains($0.key) }
    guard given.count == 1, let motion = given.first else {
      throw NotationError(
        value.place, "expected one of \(Self.motions.joined(separator: ", ")) in a part of a path")
    }
    func length() throws(NotationError) -> Interval {
      guard let value = members["for"] else {
        throw NotationError(
          motion.keyPlace, "\"\(motion.key)\" requires \"for\", for example for: 3s")
      }
      return try self.length(value)
    }
    func refuse(_ keys: String...) throws(NotationError) {
      for member in members.all where keys.contains(member.key) {
        throw NotationError(
          member.keyPlace, "expected no \"\(member.key)\" next to \"\(motion.key)\"")
      }
    }
    var part: FacePath.Part
    switch motion.key {
    case "stand", "hide":
      try refuse("for", "speed", "period")
      part = FacePath.Part(.stand, lasting: try self.length(motion.value))
      part.isHidden = motion.key == "hide"
    case "step":
      try refuse("speed", "period")
      let target = try angle(motion.value)
      part = FacePath.Part(.step(to: target), lasting: try length())
      here = target
    case "ramp":
      try refuse("period")
      let target = try angle(motion.value)
      if let value = members["speed"] {
        try refuse("for")
        let speed = try speed(value)
        let seconds = max(1e-3, abs(target - here) / speed)
        guard seconds < 86_400 else { throw value.unexpected("a greater speed") }
        part = FacePath.Part(
          .ramp(to: target), lasting: .nanoseconds(Int64((seconds * 1e9).rounded())))
      } else {
        part = FacePath.Part(.ramp(to: target), lasting: try length())
      }
      here = target
    case "sine":
      try refuse("speed")
      guard let period = members["period"] else {
        throw NotationError(motion.keyPlace, "\"sine\" requires \"period\", for example period: 4s")
      }
      part = FacePath.Part(
        .sine(
          degrees: try motion.value.number(
            0.1...90, "°", "degrees to either side, for example 20°"),
          period: try swayPeriod(period)),
        lasting: try length())
    case "walk":
      try refuse("speed", "period")
      let length = try length()
      guard length <= .seconds(3_600) else { throw motion.value.unexpected("a walk of at most 1h") }
      part = FacePath.Part(.walk(speed: try speed(motion.value)), lasting: length)
    default:
      try refuse("for", "speed", "period")
      part = try angles(motion.value)
      if case .points(let points) = part.motion, let last = points.last { here = last.degrees }
    }
    if let value = members["hidden"] { part.isHidden = try value.bool() }
    if let value = members["tilt"] {
      if case .points(let points) = part.motion, points[0].tilt != nil { try refuse("tilt") }
      part.tilt = try tilt(value)
    }
    part.distance = try members.number(
      "distance", 0.05...1_000, "m", "a distance, for example 0.8m")
    return part
  }

  private func swayPeriod(_ value: Notation) throws(NotationError) -> Interval {
    let period = try length(value)
    guard period >= .milliseconds(200) else { throw value.unexpected("a period of at least 200ms") }
    return period
  }

  /// Reads a recorded way: `[[0, 90], [0.1, 91.5]]`, perhaps with how high the face is.
  private func angles(_ value: Notation) throws(NotationError) -> FacePath.Part {
    let expected = "a list of seconds and degrees, for example [[0, 90], [0.1, 91.5]]"
    var points: [FacePath.Part.Point] = []
    for item in value.items {
      guard case .list(let pair, _) = item, pair.count == 2 || pair.count == 3,
        points.first.map({ ($0.tilt != nil) == (pair.count == 3) }) ?? true
      else { throw item.unexpected(expected) }
      let seconds = try pair[0].number(0...86_400, "s", "seconds")
      let time = Interval.nanoseconds(Int64((seconds * 1e9).rounded()))
      if let last = points.last, time <= last.time {
        throw NotationError(pair[0].place, "expected times that increase")
      }
      let tilt = pair.count == 3 ? try tilt(pair[2]) : nil
      points.append(.init(time: time, degrees: try angle(pair[1]), tilt: tilt))
    }
    guard let last = points.last, last.time > .zero, points.count <= 1_000_000 else {
      throw value.unexpected(expected)
    }
    return FacePath.Part(.points(points), lasting: last.time)
  }

  // MARK: Camera and program

  private func camera(_ value: Notation) throws(NotationError) -> SceneCamera {
    try refuseTilt(in: value, "camera")
    let members = try Members(value, Self.cameraKeys, "a camera, for example {fov: 60°}")
    var camera = SceneCamera()
    let look = try members["look"].map { (value) throws(NotationError) in try angle(value) }
    switch try members.choice("mount", "fixed or turret") ?? FollowOptions.Mount.fixed {
    case .fixed: camera.mount = .fixed(look ?? 90)
    case .turret: camera.mount = .turret(offset: (look ?? 90) - 90)
    }
    camera.fov =
      try members.number("fov", 1...170, "°", "a horizontal field of view, for example 60°")
      ?? camera.fov
    if let value = members["size"] { camera.size = try size(value) }
    let rate = try members.number("rate", 0.1...1_000, "/s", "pictures a second, for example 30")
    if let rate { camera.period = .nanoseconds(Int64((1e9 / rate).rounded())) }
    if let value = members["exposure"] {
      camera.exposure = try value.duration()
      guard camera.exposure <= camera.period else {
        throw value.unexpected("an exposure no longer than from one picture to the next")
      }
    } else {
      camera.exposure = min(camera.exposure, camera.period)
    }
    if let value = members["delay"] { (camera.delay, camera.jitter) = try delay(value) }
    if let value = members["mirrored"] { camera.isMirrored = try value.bool() }
    return camera
  }

  private func size(_ value: Notation) throws(NotationError) -> Size {
    let expected = "a size in pixels, for example 640x480"
    let parts = try value.text(expected).split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int32(parts[0]), let height = Int32(parts[1]),
      (16...16_384).contains(width), (16...16_384).contains(height)
    else { throw value.unexpected(expected) }
    return Size(Double(width), Double(height))
  }

  /// Reads a time with its spread: `80ms ± 20ms`.
  private func delay(
    _ value: Notation
  ) throws(NotationError) -> (mean: Interval, spread: Interval) {
    let expected = "a delay, for example 80ms or 80ms ± 20ms"
    let text = try value.text(expected)
    let parts = text.split(separator: "±", omittingEmptySubsequences: false)
    guard parts.count <= 2, let mean = Interval(withUnit: parts[0].filter { $0 != " " }),
      mean <= .seconds(60)
    else { throw value.unexpected(expected) }
    guard parts.count == 2 else { return (mean, .zero) }
    guard let spread = Interval(withUnit: parts[1].filter { $0 != " " }), spread <= mean else {
      throw value.unexpected("a spread of at most the delay")
    }
    return (mean, spread)
  }

  private func detector(_ value: Notation) throws(NotationError) -> Detector {
    let members = try Members(value, ["noise", "misses", "false"], "a detector: {noise: 2px}")
    var detector = Detector()
    detector.noise = try members.number("noise", 0...1_000, "px", "pixels, for example 2px") ?? 0
    detector.misses =
      (try members.number("misses", 0...100, "%", "a part of the faces, for example 5%") ?? 0) / 100
    detector.falseRate =
      try members.number("false", 0...100, "/s", "a number a second, for example 0.1/s") ?? 0
    return detector
  }

  private func aim(_ value: Notation, _ file: inout RigFile) throws(NotationError) {
    let members = try Members(
      value, Self.aimKeys + Self.commandKeys + Self.followKeys,
      "options of aim, for example {mapping: fov}")
    var options = AimOptions()
    options.mapping = try members.choice("mapping", "linear or fov") ?? .fov
    options.mirror = try members["mirror"]?.bool() ?? false
    func share(_ key: String) throws(NotationError) -> Double? {
      try members.number(key, 0...1, "", "a number from 0 to 1")
    }
    options.minConfidence = try share("min-confidence") ?? 0
    options.maxOverlap = try share("max-overlap")
    options.leastHeight = try share("min-height") ?? 0
    if let value = members["stick"] {
      let factor = try value.number(0...1_000, "", "0, or a factor of 1 or more")
      if factor > 0 {
        guard factor >= 1 else { throw value.unexpected("0, or a factor of 1 or more") }
        options.stick = factor
      }
    }
    file.plan.rate = try members.number(
      "rate", 0.001...1_000, "/s", "commands a second, for example 10")
    options.follow = try follow(members, &file)
    try commands(members, &options)
    file.plan.aim = options
    file.statesCommand = members["command"] != nil
    file.statesLost = members["lost"] != nil
  }

  /// Reads the commands of a sketch of the user's own.
  private func commands(_ members: Members, _ options: inout AimOptions) throws(NotationError) {
    func read<Value>(
      _ key: String, _ parse: (String) throws(CommandTextError) -> Value
    ) throws(NotationError) -> Value? {
      guard let value = members[key] else { return nil }
      let text = try value.text("a text, as for aim --\(key)")
      do throws(CommandTextError) {
        return try parse(text)
      } catch {
        throw NotationError(value.place, "\(error)")
      }
    }
    func limits(_ key: String) throws(NotationError) -> ClosedRange<Int>? {
      guard let value = members[key] else { return nil }
      let expected = "angles from 0 to 180, for example 10..170"
      return try value.range(0...180, unit: "°", expected)
    }
    let command = try read("command") { (text) throws(CommandTextError) in
      try CommandTemplate(text)
    }
    if let command { (options.command, options.lost) = (command, []) }
    func bytes(_ text: String) throws(CommandTextError) -> [UInt8] {
      try CommandTemplate.bytes(of: text)
    }
    options.lost = try read("lost", bytes) ?? options.lost
    let fire = try read("fire", bytes)
    let when = try read("fire-when") { (text) throws(CommandTextError) in try FireCondition(text) }
    if let fire, let when {
      options.fire = FireOptions(fire, when: when)
    } else if let place = (members["fire"] ?? members["fire-when"])?.place {
      throw NotationError(place, "\"fire\" and \"fire-when\" require each other")
    }
    options.pan = try limits("pan") ?? options.pan
    options.tilt = try limits("tilt") ?? options.tilt
    options.mirrorTilt = try members["mirror-tilt"]?.bool() ?? false
  }

  /// Reads how the bench follows. The camera is the scene's, so it is not stated twice.
  private func follow(
    _ members: Members, _ file: inout RigFile
  ) throws(NotationError) -> FollowOptions? {
    let camera = file.plan.scene.camera
    let mount = camera.view == nil ? FollowOptions.Mount.fixed : .turret
    // In degrees from where aim takes it to look.
    let aside = camera.axis(shaft: 90) - 90
    if aside != 0 {
      file.followRemarks.append(
        "The camera looks \(String(shortest: abs(aside)))° to the \(aside > 0 ? "right" : "left") "
          + "(look), which the bench's aim does not know: it points beside the face by that.")
    }
    // A mapping is that of a turret which only turns to where the face is in the picture, and who
    // states how to follow chooses each part of that.
    let states = Self.followKeys.contains { members[$0] != nil }
    let isPreset = try members["follow"]?.bool() ?? (members["mapping"] == nil && !states)
    guard isPreset || mount == .turret || states else { return nil }
    var options = isPreset ? FollowOptions.usual : FollowOptions()
    // An older picture is refused.
    if isPreset { options.age = min(camera.delay.seconds, 10) }
    options.mount = try members.choice("mount", "fixed or turret") ?? mount
    if options.mount != mount {
      file.followRemarks.append(
        "aim states mount: \(options.mount.rawValue), but the camera's mount is \(mount.rawValue), "
          + "so the bench aims for another camera than the scene has. Without mount under aim, it "
          + "takes that of the camera.")
    }
    func seconds(_ key: String) throws(NotationError) -> Double? {
      try members[key].map { (value) throws(NotationError) in try value.duration().seconds }
    }
    func figure(_ key: String, _ unit: String) throws(NotationError) -> Double? {
      try members.number(key, 0...1_000_000, unit, "a number")
    }
    options.age = try seconds("age") ?? options.age
    options.lead = try seconds("lead") ?? options.lead
    options.coast = try seconds("coast") ?? options.coast
    options.servoSpeed = try figure("servo-speed", "°/s") ?? options.servoSpeed
    options.deadZone = try figure("dead-zone", "°") ?? options.deadZone
    options.gain = try figure("gain", "") ?? options.gain
    options.speed = try figure("max-speed", "°/s") ?? options.speed
    options.acceleration = try figure("max-acceleration", "°/s²") ?? options.acceleration
    return options
  }

  private func checkAim(_ place: Notation.Place, _ plan: RigPlan) throws(NotationError) {
    do throws(AimError) {
      _ = try Aimer(camera: plan.scene.camera.camera, options: plan.aim)
    } catch {
      throw NotationError(place, "\(error)")
    }
  }

  private func link(_ value: Notation, _ file: inout RigFile) throws(NotationError) {
    let members = try Members(value, ["delay"], "a link, for example {delay: 5ms ± 2ms}")
    if let value = members["delay"] {
      (file.plan.linkDelay, file.plan.linkJitter) = try delay(value)
    }
  }

  private func servo(_ value: Notation) throws(NotationError) -> ServoPlantData {
    let names = ServoPlantData.presets.map { $0.name }
    let expected = "one of \(names.joined(separator: ", "))"
    let name = try value.text(expected)
    guard let data = ServoPlantData(name) else { throw value.unexpected(expected) }
    return data
  }

  private func supply(_ value: Notation) throws(NotationError) -> Supply {
    let text = try value.text("a supply, for example 4xAA")
    do throws(SpecError) {
      return try Supply.parse(text)
    } catch {
      var place = value.place
      if place.column > 0 { place.column += error.column - 1 }
      throw NotationError(place, error.message)
    }
  }

  // MARK: Numbers

  private func quoted(_ text: String) -> String { PlainText.quoted(text) }

  private func angle(_ value: Notation) throws(NotationError) -> Double {
    try value.number(0...180, "°", "an angle from 0 to 180")
  }

  private func tilt(_ value: Notation) throws(NotationError) -> Double {
    try value.number(10...170, "°", "a tilt from 10 to 170: 90 is as high as the turret, 80 higher")
  }

  private func speed(_ value: Notation) throws(NotationError) -> Double {
    try value.number(0.001...10_000, "°/s", "degrees a second, for example 10°/s")
  }

  private func length(_ value: Notation) throws(NotationError) -> Interval {
    let length = try value.duration()
    guard length > .zero, length <= SessionLimit.usual else {
      throw value.unexpected("a length of time over zero and of at most a day")
    }
    return length
  }
}

extension Notation {
  fileprivate func number(
    _ limits: ClosedRange<Double>, _ unit: String, _ expected: String
  ) throws(NotationError) -> Double {
    let range = try range(unit: unit, expected)
    guard range.lowerBound == range.upperBound, limits.contains(range.lowerBound) else {
      throw unexpected(expected)
    }
    return range.lowerBound
  }
}

/// The members of a mapping, all of them known and each once.
private struct Members {
  let all: [Notation.Member]

  init(_ value: Notation, _ keys: [String], _ expected: String) throws(NotationError) {
    all = try value.members(expected)
    try Notation.check(all, keys)
  }

  subscript(key: String) -> Notation? { all.first { $0.key == key }?.value }

  /// One of several words; nil if it is not stated.
  func choice<Choice: RawRepresentable<String>>(
    _ key: String, _ expected: String
  ) throws(NotationError) -> Choice? {
    guard let value = self[key] else { return nil }
    guard let choice = Choice(rawValue: try value.text(expected)) else {
      throw value.unexpected(expected)
    }
    return choice
  }

  /// The number of a key; nil if it is not stated.
  func number(
    _ key: String, _ limits: ClosedRange<Double>, _ unit: String, _ expected: String
  ) throws(NotationError) -> Double? {
    guard let value = self[key] else { return nil }
    return try value.number(limits, unit, expected)
  }
}

extension Notation {
  /// Returns the same mapping in which the value at a path, such as `camera.delay`, is another.
  /// Nil if a part of the path is no mapping.
  package func replacing(_ path: ArraySlice<String>, by text: String) -> Notation? {
    guard let key = path.first else { return .text(text, Place()) }
    guard case .mapping(var members, let place) = self else { return nil }
    let index = members.firstIndex { $0.key == key }
    let inner = index.map { members[$0].value } ?? .mapping([], place)
    guard let value = inner.replacing(path.dropFirst(), by: text) else { return nil }
    let member = Member(key, at: index.map { members[$0].keyPlace } ?? place, value)
    if let index { members[index] = member } else { members.append(member) }
    return .mapping(members, place)
  }
}
