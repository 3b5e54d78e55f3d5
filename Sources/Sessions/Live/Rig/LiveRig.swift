import Aim
package import Engine
import Network
import Platform
import Sketches
import SystemPackage
import Traces

/// The scene of a live session: a camera that the command after `--` reads, and the servo that it
/// turns.
package struct LiveRigPlan: Sendable {
  package let rig: RigPlan
  /// Pictures of the user's in place of those that are drawn; nil for none.
  package var face: String?
  package var background: String?
  /// The video device that also gets the pictures; nil for none.
  package var device: String?
  /// Whether the trace has no pulses, although the servos need them.
  package var hidesPulses = true

  package init(_ rig: RigPlan) { self.rig = rig }

  /// Reads the file of a rig.
  package static func read(_ path: String) throws(Failure) -> RigFile {
    try RigDocument(path: path).rig([])
  }
}

/// The scene of a live session in real time: its camera takes pictures, and another program draws
/// them.
///
///     waiting --the first program reads the camera--> running --the scene's length--> over
///
/// A tracking program takes its time to start, and no face moves until it sees it.
final class LiveRig {
  /// How long after a picture was taken the readers get it. Drawing usually takes less, so that the
  /// delay does not depend on what is drawn.
  private static let delay = Interval.milliseconds(12)

  private let plan: RigPlan
  private let hasDevice: Bool
  private let painter: ScenePainter
  let pictures: CameraPictures
  private let system: any SystemCalls
  /// When the scene began, in the session's time; nil before.
  private(set) var begin: Instant?
  private var truth: ArraySlice<FacePath.Corner>
  /// When the camera takes its next picture, in the session's time.
  private(set) var nextPicture = Instant.zero
  private var number: UInt32 = 0
  /// Pictures that have been drawn and wait for their time.
  private var held: [CameraPicture] = []
  private var isOver = false
  private var counts = PictureCounts()

  init(
    _ plan: LiveRigPlan, _ pictures: CameraPictures, on system: any SystemCalls
  ) throws(Failure) {
    self.plan = plan.rig
    self.pictures = pictures
    self.system = system
    hasDevice = plan.device != nil
    truth = (plan.rig.scene.faces.first?.path.corners(until: .zero + plan.rig.length) ?? [])[...]
    let camera = plan.rig.scene.camera
    let side = Int(max(camera.size.width, camera.size.height))
    guard side <= SceneHeader.sideMax else {
      throw Failure(
        .usage,
        "error: --rig serves pictures of at most \(SceneHeader.sideMax) pixels to a side; the "
          + "camera of this scene has \(side)")
    }
    painter = try ScenePainter(
      SceneHeader(
        width: Int(camera.size.width), height: Int(camera.size.height), fov: camera.fov,
        face: plan.face, background: plan.background, seed: plan.rig.seed,
        isMirrored: camera.isMirrored),
      device: plan.device, on: system)
  }

  /// Becomes readable when a picture has been drawn; nil if there will be no more.
  var descriptor: FileDescriptor? { painter.descriptor }

  /// Whether the scene has just taken its length.
  func endsNow(at now: Instant) -> Bool {
    guard let begin, !isOver, now - begin >= plan.length else { return false }
    isOver = true
    return true
  }

  /// When something is due: a picture to take or to show, a corner of the face's way, or the end.
  var deadline: Instant {
    guard !isOver else { return .distantFuture }
    let shown = held.first.map { $0.time + Self.delay } ?? .distantFuture
    guard let begin else { return min(nextPicture, shown) }
    let corner = truth.first.map { begin + ($0.time - .zero) } ?? .distantFuture
    return min(min(nextPicture, shown), min(corner, begin + plan.length))
  }

  /// Shows the pictures that have been drawn, each at its time. Returns a remark if there will be
  /// no more.
  func look(at now: Instant) -> String? {
    let (drawn, remark) = painter.look()
    // The picture before the scene began is old when the first program reads the camera.
    if begin != nil { held += drawn }
    while let picture = held.first, picture.time + Self.delay <= now {
      counts.show(picture.time + Self.delay, at: now, period: plan.scene.camera.period)
      pictures.put(picture)
      held.removeFirst()
    }
    return remark
  }

  /// Continues the scene. Returns the events that say where the face is.
  ///
  /// - Parameters:
  ///   - shaft: where the servo's shaft is now, in degrees.
  ///   - tilt: where that of the servo is that tilts; 90 if none does.
  func proceed(at now: Instant, shaft: Double, tilt: Double = 90) -> [Event] {
    let isWatched = pictures.readersEver > 0 || hasDevice
    if begin == nil, isWatched, painter.drawnCount > 0 { begin = now }
    var events: [Event] = []
    if let begin {
      while let corner = truth.first, begin + (corner.time - .zero) <= now {
        truth.removeFirst()
        events += corner.events(tilt: plan.servos.tilt, at: now)
      }
    }
    if now >= nextPicture, !isOver { take(at: now, shaft, tilt) }
    return events
  }

  private func take(at now: Instant, _ shaft: Double, _ tilt: Double) {
    let scene = plan.scene
    let period = scene.camera.period
    // A bench that was held up takes no picture twice.
    let missed = (now - nextPicture).nanoseconds / period.nanoseconds
    nextPicture = nextPicture + .nanoseconds((missed + 1) * period.nanoseconds)
    // The first picture shows that pictures can be drawn. No more are needed until a program reads
    // them.
    guard number == 0 || begin != nil else { return }
    number &+= 1
    if begin != nil { counts.take(missed: Int(missed)) }
    let time = begin.map { .zero + (now - $0) } ?? Instant.zero
    let faces = scene.boxes(at: time, shaft: shaft, tilt: tilt).map { box in
      SceneFrame.Face(
        x: box.x, y: 1 - box.maxY, width: box.width, height: box.height)
    }
    painter.draw(
      SceneFrame(
        number: number, time: now, taken: system.now, pan: scene.camera.axis(shaft: shaft),
        tilt: scene.camera.tiltAxis(tilt: tilt), faces: faces))
  }

  /// Why a verdict would say nothing about the program that tracks; nil if the computer was fast
  /// enough.
  var slowness: String? { counts.slowness(replaced: painter.replacedCount) }

  /// Ends the program that draws.
  func end() { painter.end() }

  /// What is said about the camera after the session.
  ///
  /// - Parameter address: where the camera is served.
  func report(address: String, hasCommands: Bool) -> [String] {
    var lines: [String] = []
    if begin == nil {
      lines.append(
        pictures.readersEver == 0
          ? "No program read the camera at \(address), so no face moved: a tracking program opens "
            + "the address in SENTRY_CAMERA."
          : "The camera had no picture.")
    } else {
      var line = "camera: \(String(counting: painter.drawnCount, "picture")) drawn, "
      line += "\(pictures.sent) sent to \(String(counting: pictures.readersEver, "reader"))"
      if pictures.skipped > 0 {
        line += ", \(pictures.skipped) not sent because a newer one replaced them"
      }
      if painter.replacedCount > 0 {
        line += ", \(painter.replacedCount) not drawn in time"
      }
      lines.append(line)
    }
    if !hasCommands {
      lines.append(
        "No program sent the turret anything: a tracking program writes to the port in "
          + "SENTRY_PORT, or to the WebSocket in SENTRY_WEBSOCKET.")
    }
    return lines
  }
}

/// How many of a scene's pictures the programs that read the camera got in time.
struct PictureCounts: Hashable, Sendable {
  /// The pictures that were taken, or that the bench was held up for too long to take.
  private var due = 0
  private var late = 0

  /// So many late pictures are no reason not to judge, and so many more in a long scene: one in
  /// this many.
  private static let lateAllowed = 2
  private static let lateDivisor = 50

  mutating func take(missed: Int) {
    due += 1 + missed
    late += missed
  }

  /// Notes that a picture is shown `at` an instant, which was to be shown at `time`.
  mutating func show(_ time: Instant, at now: Instant, period: Interval) {
    if now - time > period { late += 1 }
  }

  /// `replaced` is how many pictures were not drawn, because newer ones replaced them.
  func slowness(replaced: Int) -> String? {
    let late = late + replaced
    guard late > max(Self.lateAllowed, due / Self.lateDivisor) else { return nil }
    return "this computer was too slow for a verdict: \(late) of "
      + "\(String(counting: due, "picture")) late"
  }
}
