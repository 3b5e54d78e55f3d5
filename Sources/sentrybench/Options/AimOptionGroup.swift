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

  @Option(help: "Aim only at what has this label.")
  var label: String?

  @Option(
    help: ArgumentHelp(
      "Aim only while this label is at least so confident.", valueName: "label:confidence"))
  var require: GateArgument?

  @Option(
    help: ArgumentHelp(
      """
      Stay with a target until another is more than so many times as big, for example 1.2. Default: \
      the biggest each time.
      """, valueName: "factor"))
  var stick: Double?

  @Option(
    help: ArgumentHelp(
      "The view's size, points. Default: what the header says.", valueName: "width x height"))
  var view: SizeArgument?

  var options: AimOptions {
    var options = AimOptions()
    options.mapping = mapping.choice
    options.mirror = mirror
    options.gravity = gravity.choice
    options.minConfidence = minConfidence
    options.maxOverlap = maxOverlap
    options.label = label
    options.require = require?.gate
    options.stick = stick
    options.view = view?.size
    return options
  }

  func validate() throws {
    do {
      // With any camera: what is wrong then is an option.
      _ = try Aimer(camera: Camera(image: Size(1, 1), fov: 60), options: options)
    } catch {
      throw ValidationError("\(error).")
    }
  }
}
