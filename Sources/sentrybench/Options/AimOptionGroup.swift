import Aim
import ArgumentParser

/// How detections become commands.
struct AimOptionGroup: ParsableArguments {
  @Option(
    help: """
      How a place becomes an angle: linear (40 to 140 over the view) or fov (the true angle; the \
      header must have the field of view).
      """)
  var mapping = ChoiceArgument(Mapping.linear)

  @Flag(help: "Turn the turret the other way round.")
  var mirror = false

  @Option(help: "How the picture fills the view.")
  var gravity = ChoiceArgument(Gravity.resize)

  @Option(help: "Leave out what is less confident, 0 to 1.")
  var minConfidence = 0.0

  @Option(
    help: """
      Of two of a label that overlap more, as intersection over union, 0 to 1, leave out the weaker. \
      Default: none.
      """)
  var maxOverlap: Double?

  @Option(help: "Aim only at what has this label; kind is another key.")
  var label: String?

  @Option(
    help: ArgumentHelp(
      """
      Aim only while this label is at least so confident, however others score. A class, which has no \
      place, is aimed at straight ahead.
      """, valueName: "label:confidence"), transform: ArgumentForm.gate)
  var require: Gate?

  @Option(
    help: ArgumentHelp(
      """
      Stay with a target until another is more than so many times as big, for example 1.2. Default: \
      the biggest each time.
      """, valueName: "factor"))
  var stick: Double?

  @Option(
    help: ArgumentHelp(
      "The view's size, points, for example 390x844. Default: what the header says.",
      valueName: "WxH"), transform: ArgumentForm.size)
  var view: Size?

  @Option(
    help: "Leave out boxes that are lower: share of the height of what the detector saw, 0 to 1.")
  var minHeight = 0.0

  @Option(
    help: ArgumentHelp(
      "Leave out boxes of another width over height, in pixels, for example 0.1:0.5.",
      valueName: "least:most"), transform: ArgumentForm.range)
  var aspectRatio: ClosedRange<Double>?

  @Flag(
    help: """
      Aim at pairs of reflective strips, as the robot vision phone does: two rectangles next to each \
      other whose long edges meet above them.
      """)
  var strips = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The space between the strips of a pair: share of the picture's width, below 0 if they overlap.",
      valueName: "least:most"), transform: ArgumentForm.range)
  var gap: ClosedRange<Double>?

  @Option(
    help: ArgumentHelp(
      """
      A measurement: with the target this far away its box took this share of the picture's area. From \
      two or more of them the distance is worked out that --serve tells, in the same unit.
      """, valueName: "share:distance"), transform: ArgumentForm.sample)
  var distance: [DistanceSample] = []

  var options: AimOptions {
    get throws(AimError) {
      var options = AimOptions()
      options.mapping = mapping.choice
      options.mirror = mirror
      options.gravity = gravity.choice
      options.minConfidence = minConfidence
      options.maxOverlap = maxOverlap
      options.label = label
      options.require = require
      options.stick = stick
      options.view = view
      options.leastHeight = minHeight
      options.ratio = aspectRatio
      if strips { options.strips = StripPairing(gap: gap ?? -1...1) }
      if !distance.isEmpty {
        options.distances = try DistanceRegression(fitting: distance)
      }
      return options
    }
  }

  func validate() throws {
    if gap != nil, !strips { throw ValidationError("--gap is for pairs: with --strips.") }
    do {
      // With any camera: what is wrong then is an option.
      _ = try Aimer(camera: Camera(image: Size(1, 1), fov: 60), options: options)
    } catch {
      throw ValidationError("\(error).")
    }
  }
}
