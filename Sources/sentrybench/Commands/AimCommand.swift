import Aim
import ArgumentParser
import Gateway
import Sessions

struct AimCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aim",
    abstract: "Detections to commands, as a phone app does it.",
    discussion: """
      Reads observations, JSON Lines of what a detector saw, frame by frame (docs/observations.md in the \
      project), and aims at the biggest. \
      X90. goes when the angle changes, L once when there is no target. With --to - the commands are \
      printed at once as a trace, for replay: the times are the frames'. For every other target it is real \
      time: a file's frames at their times once the target is there, for which it waits 10 s, a pipe's as \
      they come. The status is 69 where the last command may not have arrived or the gateway did not take \
      every one. When aim ends nothing more is sent: the turret stays, or does what the gateway says.
      """)

  @Argument(help: "The observations; - is standard input, live.")
  var file: String

  @Option(
    help: ArgumentHelp(
      """
      Where the commands go: - prints a trace on standard output; ws://, wss:// or tcp://HOST:PORT, and \
      ?token=TOKEN behind a path, for a gateway; the path of a serial port or a pty.
      """, valueName: "target"))
  var to: String?

  @Option(
    help: ArgumentHelp(
      "Play the robot vision phone there: VISION is answered, SHUTDOWN ends it.",
      valueName: "host:port"))
  var serve: String?

  @Option(help: "How it answers: fields (angle^15.2|distance^4.3) or json.")
  var serveForm = ChoiceArgument(VisionForm.fields)

  @Option(
    help: ArgumentHelp(
      "For wss://: trust the authorities in this PEM file instead of the system's.",
      valueName: "file"))
  var ca: String?

  @Option(
    help: ArgumentHelp(
      "For a gateway: present the first token of this file. Others can see one on the command line.",
      valueName: "file"))
  var tokenFile: String?

  @OptionGroup(title: "Aiming") var aiming: AimOptionGroup

  @Option(
    help: """
      Commands a second at most, 0.001 to 1000. What comes sooner waits, and the newest goes, in the end at once. Default: each \
      change, with its frame.
      """)
  var rate: Double?

  func validate() throws {
    if to?.isEmpty ?? (serve == nil) {
      throw ValidationError("--to wants a target; - prints a trace. Or --serve an address.")
    }
    if to == "-", serve != nil {
      throw ValidationError("--serve is for live: with --to - all is printed at once.")
    }
    if serve == nil, serveForm.choice != .fields {
      throw ValidationError("--serve-form is for --serve.")
    }
    if ca != nil, to?.lowercased().hasPrefix("wss://") != true {
      throw ValidationError("--ca is for a wss:// target.")
    }
    if tokenFile != nil, to?.lowercased().hasPrefix("ws") != true {
      throw ValidationError("--token-file is for a gateway, ws:// or wss://.")
    }
    if let rate, !(rate >= 0.001 && rate <= 1_000) {
      throw ValidationError("--rate takes 0.001 to 1000.")
    }
  }

  func run() throws {
    if to == "-" {
      try PrintedAim(input: file, options: aiming.options, rate: rate).run()
    } else {
      try LiveAim.run(
        LiveAim.Plan(
          target: to, authorities: ca, tokenFile: tokenFile, input: file, options: aiming.options,
          rate: rate,
          serve: serve, form: serveForm.choice))
    }
  }
}
