package import Aim
package import Sketches

/// What is on its way on a rig: the camera's pictures, until the program knows what a detector
/// finds in them, and the program's commands, until they reach the line.
///
/// Its owner advances to each instant of `next`, takes what is due, and lets the camera take its
/// pictures. It is a value: its random numbers come from a seed.
package struct RigTraffic: Sendable {
  /// When the next picture shows the scene.
  package private(set) var nextPicture: Instant
  private let linkDelay: Interval
  private let linkJitter: Interval
  private var detection: RandomStream
  private var delays: RandomStream
  private var link: RandomStream
  private var pictures = FIFO<Picture>()
  private var commands = FIFO<(due: Instant, bytes: [UInt8])>()
  private var lastArrival = Instant.zero
  private var lastCommand = Instant.zero

  /// What was found in a picture.
  package struct Picture: Sendable {
    /// When it showed the scene.
    package let taken: Instant
    /// When the program knows what is in it.
    package let due: Instant
    package let found: [Observation]

    package var frame: Frame { Frame(time: due.seconds, found: found) }
  }

  package init(_ plan: RigPlan) {
    nextPicture = .zero + plan.scene.camera.period
    linkDelay = plan.linkDelay
    linkJitter = plan.linkJitter
    detection = RandomStream(seed: plan.seed, stream: 0x5CE_0001)
    delays = RandomStream(seed: plan.seed, stream: 0x5CE_0002)
    link = RandomStream(seed: plan.seed, stream: 0x5CE_0003)
  }

  /// When the camera takes a picture, or a picture or a command arrives.
  package var next: Instant {
    var next = nextPicture
    if let picture = pictures.first { next = min(next, picture.due) }
    if let command = commands.first { next = min(next, command.due) }
    return next
  }

  /// Takes the next picture, while the turret's shafts are at these angles, in degrees.
  package mutating func takePicture(of scene: Scene, shaft: Double, tilt: Double = 90) {
    let camera = scene.camera
    let taken = nextPicture
    nextPicture = taken + camera.period
    let found = scene.detector.find(
      scene.boxes(at: taken, shaft: shaft, tilt: tilt), by: camera, &detection)
    let half = Interval.nanoseconds(camera.exposure.nanoseconds / 2)
    let due = taken + half + camera.delay + Self.spread(camera.jitter, &delays)
    // Pictures do not overtake each other.
    lastArrival = max(max(taken, due), lastArrival)
    pictures.append(Picture(taken: taken, due: lastArrival, found: found))
  }

  /// Returns the picture that has arrived by an instant; nil if there is none.
  package mutating func picture(by instant: Instant) -> Picture? {
    guard let picture = pictures.first, picture.due <= instant else { return nil }
    return pictures.removeFirst()
  }

  private static func spread(_ jitter: Interval, _ random: inout RandomStream) -> Interval {
    guard jitter > .zero else { return .zero }
    return .nanoseconds(random.draw(-jitter.nanoseconds...jitter.nanoseconds))
  }

  /// Sends a command at an instant, which is not before that of the last one.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    let due = instant + max(.zero, linkDelay + Self.spread(linkJitter, &link))
    lastCommand = max(due, lastCommand)
    commands.append((lastCommand, bytes))
  }

  /// Returns the command that has reached the line by an instant; nil if there is none.
  package mutating func command(by instant: Instant) -> [UInt8]? {
    guard let command = commands.first, command.due <= instant else { return nil }
    return commands.removeFirst().bytes
  }
}
