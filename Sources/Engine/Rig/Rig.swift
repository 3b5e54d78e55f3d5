package import Aim
package import Devices
package import Judging
package import Sketches
package import Traces

/// What is on a rig: a scene with its camera, the turret's servos and supply, and the way from the
/// program that tracks to the board.
package struct RigPlan: Sendable {
  package var scene: Scene
  package var aim = AimOptions()
  /// How many commands a second are sent at most; nil for any number.
  package var rate: Double?
  /// How long a command is on its way to the line, and by how much that differs, to either side.
  package var linkDelay = Interval.zero
  package var linkJitter = Interval.zero
  package var servos = ServoPlan(.sg90)
  package var length = Interval.seconds(20)
  package var seed: UInt64 = 1

  package init(scene: Scene) { self.scene = scene }
}

/// A closed loop in virtual time: faces, a camera, what it delivers, a program that tracks, its
/// commands, the board, its servo, and back to the camera. Whoever tracks takes the pictures one
/// after the other, and can send bytes after each.
///
///     while let frame = rig.nextFrame(emit) { rig.send(bytes(for: frame)) }
///     rig.finish(emit)
///
/// It is a value: its random numbers come from the plan's seed, and a copy is a snapshot.
package struct Rig<D: RealTimeDevice>: Sendable {
  package private(set) var session: Session<D>
  private let plan: RigPlan
  private var traffic: RigTraffic
  private var truth: ArraySlice<FacePath.Corner>
  /// What the session reports to the user.
  package private(set) var remarks: [String] = []
  package private(set) var frameCount = 0
  package private(set) var commandCount = 0
  /// How many commands were not sent, because too many bytes waited for the line.
  private var unsentCount = 0
  /// How many pictures could have shown the face that the turret is to follow, and how many of them
  /// did not, because it was outside.
  private var targetCount = 0
  private var outsideCount = 0
  /// How many of these showed too little of the height, on a turret that does not tilt.
  private var beyondHeightCount = 0
  package let end: Instant

  /// - Parameter start: what the session begins with. Its board must show pulses.
  package init(_ plan: RigPlan, _ start: SessionStart<D>, rules: SessionRules? = nil) {
    self.plan = plan
    session = Session(start)
    session.drive = ServoDrive(plan.servos, seed: plan.seed)
    session.rules = rules
    traffic = RigTraffic(plan)
    end = .zero + plan.length
    truth = (plan.scene.faces.first?.path.corners(until: end) ?? [])[...]
  }

  /// The maximum number of bytes that wait for the line.
  package static var waitingMax: Int { 1 << 16 }

  /// Lets the session end early: see `Session`. Then there is no further picture.
  package mutating func end(when isOver: @escaping @Sendable () -> Bool) {
    session.end(when: isOver)
  }

  package mutating func begin(_ emit: (Event) -> Void) { session.begin([], .standard, emit) }

  /// Continues until the program gets the next picture, and returns what was found in it, with the
  /// time at which it gets that. Nil at the session's end.
  package mutating func nextFrame(_ emit: (Event) -> Void) -> Frame? {
    while true {
      var next = min(end, traffic.next)
      if let corner = truth.first { next = min(next, corner.time) }
      session.advance(to: next.roundedUpToMicrosecond, emit)
      guard session.cut == nil else { return nil }
      for case .remark(let line) in session.takeEffects() { remarks.append(line) }
      if let corner = truth.first, corner.time <= next {
        truth.removeFirst()
        for event in corner.events(tilt: plan.servos.tilt, at: corner.time) {
          session.take(listed: event, emit)
        }
      } else if let bytes = traffic.command(by: next) {
        guard session.board.onTheWayCount + bytes.count <= Self.waitingMax else {
          unsentCount += 1
          continue
        }
        session.take(listed: Event(session.now, .receive(bytes)), emit)
      } else if traffic.nextPicture <= next {
        takePicture()
      } else if let picture = traffic.picture(by: next) {
        guard picture.due < end else { return nil }
        frameCount += 1
        return picture.frame
      } else if next >= end {
        return nil
      }
    }
  }

  private mutating func takePicture() {
    let (shaft, tilt) = (session.drive?.degrees ?? 90, session.drive?.tilt ?? 90)
    let scene = plan.scene
    if let isShown = scene.showsTarget(at: traffic.nextPicture, shaft: shaft, tilt: tilt) {
      targetCount += 1
      if !isShown {
        outsideCount += 1
        if scene.isTargetBeyondHeight(at: traffic.nextPicture) { beyondHeightCount += 1 }
      }
    }
    traffic.takePicture(of: scene, shaft: shaft, tilt: tilt)
  }

  /// Sends bytes, at the time of the last frame.
  package mutating func send(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    commandCount += 1
    traffic.send(bytes, at: session.now)
  }

  /// Ends the session.
  package mutating func finish(_ emit: (Event) -> Void) {
    if unsentCount > 0 {
      remarks.append(
        "\(unsentCount) of \(String(counting: commandCount, "command")) were not sent: more than "
          + "\(Self.waitingMax) bytes would have waited for the line.")
    }
    if let outsideRemark { remarks.append(outsideRemark) }
    session.finish(at: end, isMarked: false, emit)
  }

  /// What there is to say if pictures do not show the face although nothing is in front of it; nil
  /// for few of them, or if a camera on the turret has only lost the face.
  private var outsideRemark: String? {
    let camera = plan.scene.camera
    let isFixed = camera.view == nil
    let isLevel = isFixed || plan.servos.tilt == nil
    let isTooHigh = isLevel && beyondHeightCount * 10 > targetCount
    guard outsideCount * 10 > targetCount, isFixed || isTooHigh || outsideCount == targetCount
    else { return nil }
    func text(_ degrees: Double) -> String { String(shortest: (degrees * 10).rounded() / 10) }
    let axis = camera.axis(shaft: 90)
    let what =
      outsideCount == targetCount
      ? "No picture shows the face"
      : "\(outsideCount) of \(targetCount) pictures do not show the face"
    let place = isFixed ? "fixed camera" : "camera on the turret, which begins at 90°,"
    let half = camera.verticalFOV / 2
    var seen = "\(text(axis - camera.fov / 2))° to \(text(axis + camera.fov / 2))°"
    if beyondHeightCount > 0 { seen += ", and tilts of \(text(90 - half))° to \(text(90 + half))°" }
    let hint =
      isTooHigh && !isFixed
      ? " It does not tilt: state the pin of the servo that tilts it, for example tilt: D10." : ""
    return "\(what): the \(place) sees \(seen).\(hint)"
  }

  /// Returns the result of the rules after the end; nil if there are none.
  package mutating func ruleReport() -> RuleReport? { session.ruleReport(sender: nil) }

  /// Lets a chain of the bench track until the end.
  package mutating func track(_ emit: (Event) -> Void) throws(AimError) {
    var aimer = try Aimer(camera: plan.scene.camera.camera, options: plan.aim)
    var stream = CommandStream(plan.aim, rate: plan.rate)
    while let frame = nextFrame(emit) {
      let time = Instant.zero + .nanoseconds(Int64(frame.time * 1e9))
      let sighting = aimer.sight(frame)
      for sent in stream.take(sighting.wanted, sighting.place, at: time) {
        send(sent.command.bytes)
      }
    }
  }
}

extension FacePath.Corner {
  /// What a session reports of the corner: where the face is for the servo that pans, and for the
  /// one at `tilt` if there is one.
  package func events(tilt pin: BoardPin?, at instant: Instant) -> [Event] {
    [Event(instant, .truth(degrees))]
      + (pin.map { [Event(instant, .truth(tilt, on: $0))] } ?? [])
  }
}
