import Aim
import ArgumentParser
import Sketches

/// Options for turning detections into commands.
struct AimOptionGroup: ParsableArguments {
  @Option(
    help: """
      How a position becomes an angle: linear (40 to 140 over the view) or fov (the true angle; \
      requires the field of view in the header).
      """)
  var mapping = Mapping.linear

  @Flag(help: "Turn the turret in the opposite direction.")
  var mirror = false

  @Option(
    help: """
      The point of a face to aim at: box, its middle, or the landmarks eyes, nose or mouth. The \
      box is aimed at without them.
      """)
  var at = AimPoint.box

  @Option(help: "How the picture fills the view.")
  var gravity = Gravity.resize

  @Option(help: "Ignore detections with a lower confidence, 0 to 1.")
  var minConfidence = 0.0

  @Option(
    help: """
      If two detections with the same label overlap more than this (intersection over union, 0 to \
      1), ignore the less confident one. Default: off.
      """)
  var maxOverlap: Double?

  @Option(help: "Aim only at detections with this label (not to be confused with the key kind).")
  var label: String?

  @Option(
    help: ArgumentHelp(
      """
      Aim only while this label has at least this confidence, whatever the others have. A class \
      has no position, so the turret aims straight ahead.
      """, valueName: "label:confidence"), transform: ArgumentForm.gate)
  var require: Gate?

  @Option(
    help: ArgumentHelp(
      """
      Stay with a target until another is more than this many times as big, for example 1.2. \
      Default: always the biggest.
      """, valueName: "factor"))
  var stick: Double?

  @Option(
    help: ArgumentHelp(
      "The size of the view in points, for example 390x844. Default: that in the header.",
      valueName: "WxH"), transform: ArgumentForm.size)
  var view: Size?

  @Option(
    help: "Ignore boxes whose height is below this share of the detector's picture, 0 to 1.")
  var minHeight = 0.0

  @Option(
    help: ArgumentHelp(
      """
      Ignore boxes whose ratio of width to height, in pixels, is outside this range, for example \
      0.1:0.5.
      """,
      valueName: "least:most"), transform: ArgumentForm.range)
  var aspectRatio: ClosedRange<Double>?

  @Flag(
    help: """
      Aim at pairs of reflective strips, as the robot vision phone does: two rectangles next to \
      each other whose long edges meet above them.
      """)
  var strips = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The gap between two strips as a share of the picture's width; negative if they overlap.",
      valueName: "least:most"), transform: ArgumentForm.range)
  var gap: ClosedRange<Double>?

  @Option(
    help: ArgumentHelp(
      """
      A measurement: the share of the picture's area that the target's box takes at this distance. \
      From two or more of them, the distance that --serve reports is calculated, in the same unit.
      """, valueName: "share:distance"), transform: ArgumentForm.sample)
  var distance: [DistanceSample] = []

  @Flag(
    help: """
      Follow a target that moves: predict where it is from its last pictures, allow for their age, \
      and ignore small movements. Sets --age 100ms, --lead 30ms, --dead-zone 2.5, --gain 0.35 and \
      --coast 300ms, unless they are given. Requires the field of view in the header.
      """)
  var follow = false

  @Option(
    help: """
      Where the camera is: fixed, looking at 90 degrees, or on the turret, looking where that \
      points. Requires the field of view in the header. Default: fixed.
      """)
  var mount: FollowOptions.Mount?

  @Option(
    help: "How old a picture is when its frame arrives, for example 120ms. See --follow.",
    transform: Interval.argument)
  var age: Interval?

  @Option(
    help: "The time from a command to the servo's movement, for example 30ms. See --follow.",
    transform: Interval.argument)
  var lead: Interval?

  @Option(
    help: """
      How fast the servo is taken to turn, in degrees a second, for --mount turret. Default: 500.
      """)
  var servoSpeed: Double?

  @Option(
    help: """
      Move only for a target that is further than this from the last angle, in degrees, and then \
      until it is a third of that near. See --follow.
      """)
  var deadZone: Double?

  @Option(
    help: """
      How much a picture counts beside the prediction from those before, 0.01 to 1; 1 predicts \
      nothing. See --follow.
      """)
  var gain: Double?

  @Option(help: "The greatest speed of the commands, in degrees a second. Default: no limit.")
  var maxSpeed: Double?

  @Option(
    help: "How fast that speed changes at most, in degrees a second, a second. Default: no limit.")
  var maxAcceleration: Double?

  @Option(
    help: "How long a target that is no longer seen is taken to go on, for example 300ms.",
    transform: Interval.argument)
  var coast: Interval?

  /// How a target is followed; nil if no option requests it.
  private var following: FollowOptions? {
    let areGiven =
      mount != nil || age != nil || lead != nil || coast != nil
      || [servoSpeed, deadZone, gain, maxSpeed, maxAcceleration].contains { $0 != nil }
    guard follow || areGiven else { return nil }
    var options = follow ? FollowOptions.usual : FollowOptions()
    options.mount = mount ?? options.mount
    options.age = age?.seconds ?? options.age
    options.lead = lead?.seconds ?? options.lead
    options.coast = coast?.seconds ?? options.coast
    options.servoSpeed = servoSpeed ?? options.servoSpeed
    options.deadZone = deadZone ?? options.deadZone
    options.gain = gain ?? options.gain
    options.speed = maxSpeed
    options.acceleration = maxAcceleration
    return options
  }

  var options: AimOptions {
    get throws(AimError) {
      var options = AimOptions()
      options.mapping = mapping
      options.mirror = mirror
      options.at = at
      options.gravity = gravity
      options.minConfidence = minConfidence
      options.maxOverlap = maxOverlap
      options.label = label
      options.require = require
      options.stick = stick
      options.view = view
      options.leastHeight = minHeight
      options.ratio = aspectRatio
      options.follow = following
      if strips { options.strips = StripPairing(gap: gap ?? -1...1) }
      if !distance.isEmpty {
        options.distances = try DistanceRegression(fitting: distance)
      }
      return options
    }
  }

  func validate() throws {
    try UsageRule.check(UsageRule("--gap", gap, requires: "--strips", strips))
    do {
      // Any camera will do: an error must come from the options.
      _ = try Aimer(camera: Camera(image: Size(1, 1), fov: 60), options: options)
    } catch {
      throw ValidationError("\(error).")
    }
  }
}

/// Parsers for options of `aim` that are more than a number or a word.
enum ArgumentForm {
  /// `WIDTHxHEIGHT`
  static func size(_ argument: String) throws -> Size {
    guard let (width, height) = numbers(argument, between: "x"), Size(width, height).isUsable else {
      throw ValidationError("A size is WIDTHxHEIGHT, each 1 to 1000000, for example 390x844.")
    }
    return Size(width, height)
  }

  /// `LEAST:MOST`
  static func range(_ argument: String) throws -> ClosedRange<Double> {
    guard let (least, most) = numbers(argument, between: ":"), least <= most else {
      throw ValidationError("A range is LEAST:MOST, for example 0.1:0.5.")
    }
    return least...most
  }

  /// `SHARE:DISTANCE`
  static func sample(_ argument: String) throws -> DistanceSample {
    guard let (share, distance) = numbers(argument, between: ":") else {
      throw ValidationError("A measurement is SHARE:DISTANCE, for example 0.04:2.5.")
    }
    return DistanceSample(share: share, distance: distance)
  }

  /// `LABEL:CONFIDENCE`. The label can contain colons too.
  static func gate(_ argument: String) throws -> Gate {
    guard let colon = argument.lastIndex(of: ":"),
      let least = Double(argument[argument.index(after: colon)...])
    else { throw ValidationError("A requirement is LABEL:CONFIDENCE, for example cat:0.7.") }
    return Gate(label: String(argument[..<colon]), least: least)
  }

  private static func numbers(
    _ argument: String, between mark: Character
  ) -> (Double, Double)? {
    let parts = argument.split(separator: mark, omittingEmptySubsequences: false)
    guard parts.count == 2, let one = Double(parts[0]), let other = Double(parts[1]) else {
      return nil
    }
    return (one, other)
  }
}
