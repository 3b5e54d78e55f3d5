import Sketches
import Traces

/// When the turret fires, and with which command.
public struct FireOptions: Hashable, Sendable {
  public var command: [UInt8]
  public var when: FireCondition

  public init(_ command: [UInt8], when: FireCondition) {
    self.command = command
    self.when = when
  }
}

/// A condition for firing: the turret has pointed at a target for some time without a break.
///
///     on target for 300ms                       once, until it has not been on target
///     on target within 1.5° for 1s every 2s     again after each 2 s
public struct FireCondition: Hashable, Sendable {
  /// For how long it must have been on target, in seconds.
  public var time: Double
  /// How far from the target it can point, in degrees, to each side.
  public var within = 3.0
  /// The time from one shot to the next, in seconds; nil fires once each time it is on target.
  public var every: Double?

  public init(time: Double) { self.time = time }

  /// Reads a condition, for example `on target for 300ms`.
  public init(_ text: String) throws(CommandTextError) {
    let words = text.split(separator: " ")
    func mistake(_ expected: String, _ index: Int) -> CommandTextError {
      let found = index < words.count ? PlainText.quoted(String(words[index])) : "the end"
      let column =
        1
        + (index < words.count
          ? text.distance(from: text.startIndex, to: words[index].startIndex) : text.count)
      return CommandTextError(
        "expected \(expected), found \(found), at character \(column) of \(PlainText.quoted(text))")
    }
    func time(_ index: Int) throws(CommandTextError) -> Double {
      guard index < words.count, let time = Interval(withUnit: String(words[index])),
        time <= .seconds(60)
      else { throw mistake("a time of at most 60s, such as 300ms", index) }
      return time.seconds
    }
    for (index, word) in ["on", "target"].enumerated() {
      guard index < words.count, words[index] == word else {
        throw mistake("a condition such as \"on target for 300ms\"", index)
      }
    }
    var least: Double?
    var index = 2
    while index < words.count {
      switch words[index] {
      case "for": least = try time(index + 1)
      case "every": every = try time(index + 1)
      case "within":
        guard index + 1 < words.count,
          let degrees = Double(String(words[index + 1].filter { $0 != "°" })),
          Self.degrees.contains(degrees)
        else { throw mistake("0.1 to 90 degrees, such as 2°", index + 1) }
        within = degrees
      default: throw mistake("\"for\", \"within\" or \"every\"", index)
      }
      index += 2
    }
    guard let least else { throw mistake("\"for\" and a time, such as for 300ms", words.count) }
    self.time = least
  }

  private static let degrees = 0.1...90.0

  func check() throws(AimError) {
    for (name, time) in [("the time on target", time), ("the time between shots", every ?? 0)] {
      guard (0...60).contains(time) else { throw .outOfRange(name, "0 to 60 s") }
    }
    guard Self.degrees.contains(within) else {
      throw .outOfRange("the distance from the target", "0.1 to 90 degrees")
    }
  }
}

/// Fires while its condition holds. It computes where the turret points from the commands that were
/// sent; if the camera is on the turret, the picture shows it. The caller passes the time, in
/// seconds, which never decreases.
struct Trigger: Hashable, Sendable {
  private let options: FireOptions
  private let tilts: Bool
  /// The time from a command to the turret's movement, in seconds.
  private let lead: Double
  private var pan = Pose()
  private var tilt = Pose()
  /// Since when the turret has been on target, and when that was seen last.
  private var since: Double?
  private var seen = 0.0
  /// The last shot, and whether it was in this time on target.
  private var last: Double?
  private var hasFired = false

  /// A longer time without a picture is a break, in seconds.
  private static let gapMax = 0.5
  /// More than the error of a difference of times.
  private static let timeError = 1e-9

  /// Nil if the turret never fires.
  init?(_ aim: AimOptions) {
    guard let options = aim.fire else { return nil }
    self.options = options
    tilts = aim.command.tilts
    lead = aim.follow?.lead ?? 0
    pan.speed = aim.follow?.servoSpeed ?? pan.speed
    tilt.speed = pan.speed
    pan.forget()
    tilt.forget()
  }

  /// Takes a command that was sent. After one for a lost target, the turret can point anywhere.
  mutating func take(_ command: TurretCommand, at now: Double) {
    if let degrees = command.degrees {
      pan.command(Double(degrees), at: now + lead)
      tilt.command(Double(command.tilt ?? 90), at: now + lead)
    } else if !command.isShot {
      pan.forget()
      tilt.forget()
    }
  }

  /// Returns whether the turret must fire now, after a picture in which the target is at a place.
  mutating func isReady(_ place: TargetPlace?, at now: Double) -> Bool {
    guard let place, isOnTarget(place, at: now) else {
      since = nil
      return false
    }
    if since == nil || now - seen > Self.gapMax {
      since = now
      hasFired = false
    }
    seen = now
    guard let since, now - since >= options.when.time - Self.timeError else { return false }
    guard let every = options.when.every else { return !hasFired }
    return last.map { now - $0 >= every - Self.timeError } ?? true
  }

  private func isOnTarget(_ place: TargetPlace, at now: Double) -> Bool {
    let (x, y): (Double, Double)
    switch place {
    case .offset(let right, let down): (x, y) = (right, down)
    case .turret(let right, let down):
      guard !pan.isUnknown else { return false }
      (x, y) = (right - pan.degrees(at: now), down - tilt.degrees(at: now))
    }
    return abs(x) <= options.when.within && (!tilts || abs(y) <= options.when.within)
  }

  /// Returns the command to fire, which is sent now.
  mutating func fire(at now: Double) -> TurretCommand {
    last = now
    hasFired = true
    return .shot(options.command)
  }
}
