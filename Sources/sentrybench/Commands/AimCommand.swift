import Aim
import ArgumentParser

struct AimCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aim",
    abstract: "Detections to commands, as a phone app does it.",
    discussion: """
      Reads observations, JSON Lines of what a detector saw, frame by frame, and aims at the biggest. \
      X90. goes when the angle changes, L once when there is no target. With --to - the commands are \
      printed at once as a trace, for replay: the times are the frames'.
      """)

  @Argument(help: "The observations; - is standard input, live.")
  var file: String

  @Option(
    help: ArgumentHelp(
      "Where the commands go; - prints a trace on standard output.", valueName: "target"))
  var to: String

  @OptionGroup(title: "Aiming") var aiming: AimOptionGroup

  @Option(
    help: """
      Commands a second at most, 0.001 to 1000. What comes sooner waits, and the newest goes. Default: each \
      change, with its frame.
      """)
  var rate: Double?

  func validate() throws {
    if to.isEmpty { throw ValidationError("--to wants a target; - prints a trace.") }
    if let rate, !(rate >= 0.001 && rate <= 1_000) {
      throw ValidationError("--rate takes 0.001 to 1000.")
    }
  }

  func run() throws {
    if to == "-" {
      try PrintedAim(input: file, options: aiming.options, rate: rate).run()
    } else {
      try LiveAim.run(
        LiveAim.Plan(target: to, input: file, options: aiming.options, rate: rate, serve: nil))
    }
  }
}
