import Aim
import Devices
import Engine
import Judging
import Sketches
import Traces

/// The closed loop of `sentrybench rig` in virtual time, with a face that stands where the page's
/// pointer is: what a camera on the turret sees, how late the program knows it, the commands, the
/// board, and a servo with mass.
///
/// It is an object because its board is large: code for copying it would be loaded with the page.
final class PageRig {
  private let settings: PageRigSettings
  private var scene: Scene
  private var board: LiveBoard<Model>
  private var drive: ServoDrive
  private var traffic: RigTraffic
  private var aimer: Aimer
  private var stream: CommandStream
  private var counts = LiveCounts()
  /// What the program saw last; nil before the first picture.
  private var picture: RigTraffic.Picture?
  private var tracking = RecentTracking()

  init(_ settings: PageRigSettings) throws(PageFailure) {
    let plan = settings.plan
    let start = try SessionSketch(.guarded).drive(on: ModelSource())
    self.settings = settings
    scene = plan.scene
    board = LiveBoard(start.device, baud: start.header.baud, kinds: start.setup.observes)
    drive = ServoDrive(plan.servos, seed: plan.seed)
    traffic = RigTraffic(plan)
    stream = CommandStream(plan.aim, rate: plan.rate)
    do throws(AimError) {
      aimer = try Aimer(camera: plan.scene.camera.camera, options: plan.aim)
    } catch {
      throw PageFailure(error.description)
    }
  }

  /// Continues a session as a request states it, or begins one: if the request says so, if there is
  /// none, or if its settings are others.
  static func perform(_ request: PageRigRequest, on rig: PageRig?) throws(PageFailure) -> PageRig {
    let current: PageRig
    if let rig, rig.settings == request.settings, request.interval != nil {
      current = rig
    } else {
      current = try PageRig(request.settings)
    }
    current.scene.faces = [request.face]
    current.advance(by: request.interval ?? .zero)
    return current
  }

  private func advance(by interval: Interval) {
    let end = board.now + min(interval, DriveLimits.advance)
    while true {
      let next = min(end, min(traffic.next, tracking.next))
      pass(to: next.roundedUpToMicrosecond)
      if let bytes = traffic.command(by: next) {
        tracking.noteCommand(at: next)
        board.take(listed: Event(board.now, .receive(bytes)), take)
      } else if traffic.nextPicture <= next {
        traffic.takePicture(of: scene, shaft: drive.degrees)
      } else if let picture = traffic.picture(by: next) {
        see(picture)
      } else if tracking.next <= next {
        tracking.note(error: error)
      } else if next >= end {
        return
      }
    }
  }

  /// Advances the board, and the servo with it. Its supply is ideal, so that it cannot fail.
  private func pass(to end: Instant) {
    while board.now < end {
      board.pass(to: min(end, drive.nextStop), take)
      _ = drive.advance(to: board.now) { _ in }
    }
    _ = board.takeForSender()
  }

  private func take(_ event: Event) {
    counts.add(event)
    drive.take(event)
  }

  /// Lets the program see a picture, and sends what it answers.
  private func see(_ picture: RigTraffic.Picture) {
    self.picture = picture
    let sighting = aimer.sight(picture.frame)
    for sent in stream.take(sighting.wanted, sighting.place, at: board.now) {
      traffic.send(sent.command.bytes, at: board.now)
    }
  }

  /// Where the face stands, in degrees of the turret.
  private var face: Double { scene.faces.first?.path.place(at: board.now).degrees ?? 90 }

  /// How far the shaft is to the right of the face, in degrees.
  private var error: Double { drive.degrees - face }

  /// What the page shows, as JSON.
  ///
  /// | member | content |
  /// |---|---|
  /// | `now` | the time in microseconds |
  /// | `view` | how wide the camera sees, in degrees |
  /// | `face`, `shaft`, `commanded` | degrees of the turret; the last is null before a command |
  /// | `error` | how far the shaft is to the right of the face, in degrees |
  /// | `onTarget` | the share of the last ten seconds, 0 to 1; null if none counts yet |
  /// | `rate` | commands a second, in the same time |
  /// | `sweeping` | whether the sketch looks for a face |
  /// | `age` | how old the last picture is, in milliseconds; null before the first |
  /// | `box` | where a face is in it: `[x, y, width, height]`, 0 to 1, origin at the lower left |
  var state: [UInt8] {
    var json = JSONText()
    json.add("now", .microseconds(board.now))
    json.add("view", .rounded(scene.camera.fov))
    json.add("face", .rounded(face))
    json.add("shaft", .rounded(drive.degrees))
    json.add("commanded", .whole(counts.degrees))
    json.add("error", .rounded(error))
    json.add("onTarget", tracking.share.map { .rounded($0) } ?? .null)
    json.add("rate", .rounded(tracking.commandsPerSecond))
    json.add("sweeping", .bool(board.device.activity?.isScanning ?? false))
    json.add("age", .whole(picture.map { (board.now - $0.taken).nanoseconds / 1_000_000 }))
    let box = picture?.found.first?.box
    json.add(
      "box",
      box.map { .array([$0.x, $0.y, $0.width, $0.height].map { .shortest($0) }) } ?? .null)
    return Array(json.text.utf8)
  }
}

/// What the page states about the loop. A change begins a new session.
struct PageRigSettings: Hashable, Sendable {
  /// How late the program knows what is in a picture, 0 to 1 s.
  var delay: Interval
  /// In degrees.
  var deadZone: Double
  /// Whether the program allows for the delay, as `aim --follow` does, or takes each picture for
  /// the present.
  var follows: Bool
  var servo: ServoPlantData

  /// The same scene as that of examples/rig/shake.yaml, with a supply that never fails.
  var plan: RigPlan {
    var camera = SceneCamera()
    camera.mount = .turret(offset: 0)
    camera.delay = delay
    camera.jitter = min(delay, .milliseconds(10))
    var detector = Detector()
    detector.noise = 1.5
    var plan = RigPlan(scene: Scene(faces: [], camera: camera, detector: detector))
    var follow = follows ? FollowOptions.usual : FollowOptions()
    follow.mount = .turret
    follow.deadZone = deadZone
    if follows { follow.age = delay.seconds }
    plan.aim.follow = follow
    plan.servos = ServoPlan(servo)
    return plan
  }
}

/// A request of the page: `rig`, and what the page states each time.
///
///     rig 16667 104.5 1.5 100 2.5 follow sg90
///
/// How far to advance in microseconds, or `begin`; where the face stands, in degrees of the turret
/// and in metres; the delay in milliseconds; the dead zone in degrees; the program; the servo.
struct PageRigRequest: Hashable, Sendable {
  /// Nil begins a session.
  var interval: Interval?
  var face: Scene.Face
  var settings: PageRigSettings

  private static let distances = 0.3...5.0

  init(_ text: String) throws(PageFailure) {
    let parts = text.split(separator: " ").map { String($0) }
    guard parts.count == 7, parts[0] == "begin" || Int64(parts[0]) != nil,
      let degrees = Self.number(parts[1], 0...180),
      let distance = Self.number(parts[2], Self.distances),
      let delay = Self.number(parts[3], 0...1_000), let deadZone = Self.number(parts[4], 0...90),
      parts[5] == "follow" || parts[5] == "plain",
      let servo = ServoPlantData.presets.first(where: { $0.name == parts[6] })
    else {
      throw PageFailure(
        "expected after rig: microseconds or begin, the face's angle and distance, the delay in "
          + "milliseconds, the dead zone, plain or follow, and a servo")
    }
    // A wrong number of microseconds is as harmless as none.
    interval = Int64(parts[0]).map { .microseconds(min(max($0, 0), 1_000_000_000)) }
    let path = FacePath(from: degrees, at: distance, [], random: RandomStream(seed: 1, stream: 0))
    face = Scene.Face(path)
    settings = PageRigSettings(
      delay: .microseconds(Int64(delay * 1_000)), deadZone: deadZone, follows: parts[5] == "follow",
      servo: servo)
  }

  /// A number that is brought into a range; nil if the text is none.
  private static func number(_ text: String, _ range: ClosedRange<Double>) -> Double? {
    guard let number = Double(text), number.isFinite else { return nil }
    return min(max(number, range.lowerBound), range.upperBound)
  }
}

/// How well the shaft followed the face in the last ten seconds.
struct RecentTracking: Hashable, Sendable {
  /// The shaft is on target if it is that near to the face, in degrees.
  static let target = 3.0
  private static let span = Interval.seconds(10)
  private static let stride = Interval.milliseconds(5)

  /// When the shaft is compared next.
  private(set) var next = Instant.zero
  /// From when on comparisons count: half a second after the first command, and after 2 s at the
  /// latest, as in `sentrybench rig`.
  private var begin = Instant.zero + .seconds(2)
  private var commands = FIFO<Instant>()
  private var hits = FIFO<Bool>()
  private var hitCount = 0

  mutating func noteCommand(at instant: Instant) {
    begin = min(begin, instant + .milliseconds(500))
    commands.append(instant)
  }

  /// Compares the shaft at the instant `next`.
  mutating func note(error: Double) {
    while let first = commands.first, first + Self.span <= next { _ = commands.removeFirst() }
    if next >= begin {
      let isHit = abs(error) <= Self.target
      hits.append(isHit)
      if isHit { hitCount += 1 }
      if hits.count > Int(Self.span.nanoseconds / Self.stride.nanoseconds), hits.removeFirst() {
        hitCount -= 1
      }
    }
    next = next + Self.stride
  }

  /// The share of the time on target; nil if no time counts yet.
  var share: Double? { hits.isEmpty ? nil : Double(hitCount) / Double(hits.count) }

  /// In the same time, or since the beginning.
  var commandsPerSecond: Double {
    let passed = min(next - Self.stride - .zero, Self.span)
    return passed > .zero ? Double(commands.count) / passed.seconds : 0
  }
}
