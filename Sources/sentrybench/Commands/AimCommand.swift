import Aim
import ArgumentParser
import Network
import Sessions
import Sketches

struct AimCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "aim",
    abstract: "Turn detections into commands, as a phone app does.",
    discussion: """
      Reads observations frame by frame, JSON Lines of what a detector saw (docs/observations.md \
      in the project), and aims at the biggest target. Sends X90. when the angle changes, and L \
      once when there is no target; --command or --profile states the commands of another sketch. \
      With --to - the commands are printed at once as a trace for replay, at the times of the \
      frames. Any other target receives them in real time: those of a \
      file at the times of its frames, once the target is connected (aim waits 10 s for that), and \
      those of a pipe as its frames arrive. The exit status is 69 if the last command may not have \
      arrived, or if the gateway refused any. When aim ends, it sends nothing more: the turret \
      stays where it is, or does what the gateway is set to do.
      """)

  @Argument(help: "The observations; - is standard input, live.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      """
      The target of the commands: - prints a trace on standard output; ws://, wss:// or \
      tcp://HOST:PORT is a gateway (add ?token=TOKEN after the path); a path is a serial port or \
      a pty.
      """, valueName: "target"))
  var to: String?

  @Option(
    help: """
      A serial port's or pty's speed in bits a second. Default: that of --profile, or \
      \(SerialLine.usualBaud).
      """, completion: UsualValues.speeds)
  var baud: Int?

  @Option(
    help: ArgumentHelp(
      "Act as the robot vision phone on this address: answer VISION, end on SHUTDOWN.",
      valueName: "host:port"))
  var serve: String?

  @Option(help: "The format of the answers of --serve: fields (angle^15.2|distance^4.3) or json.")
  var serveForm = VisionForm.fields

  @Option(
    help: ArgumentHelp(
      "For wss://: trust the authorities in this PEM file instead of the system's.",
      valueName: "file"), completion: .file())
  var ca: String?

  @Option(
    help: ArgumentHelp(
      """
      For a gateway: use the first token in this file. Other users of this computer can see a \
      token that is given as an argument.
      """,
      valueName: "file"), completion: .file())
  var tokenFile: String?

  @OptionGroup(title: HelpGroup.aiming) var aiming: AimOptionGroup
  @OptionGroup(title: HelpGroup.commands) var commands: CommandOptionGroup

  @Option(
    help: """
      The maximum number of commands a second, 0.001 to 1000, with the shots of --fire. Of the \
      commands that have to wait, only the newest is sent, without delay at the end. Default: each \
      change is sent with its frame.
      """)
  var rate: Double?

  func validate() throws {
    let target = to?.lowercased() ?? ""
    try UsageRule.check(
      UsageRule(
        brokenIf: to?.isEmpty ?? (serve == nil),
        "--to requires a target; - prints a trace. Or give --serve an address."),
      UsageRule(
        brokenIf: to == "-" && serve != nil,
        "--serve cannot be combined with --to -, which prints everything at once."),
      UsageRule(
        "--baud", baud, requires: "a serial port, --to PATH",
        to.map { $0 != "-" && !$0.contains("://") } ?? false),
      UsageRule("--baud", baud: baud),
      UsageRule("--serve-form", serveForm != .fields, requires: "--serve", serve),
      UsageRule("--ca", ca, requires: "a wss:// target", target.hasPrefix("wss://")),
      UsageRule(
        "--token-file", tokenFile, requires: "a gateway, ws:// or wss://", target.hasPrefix("ws")),
      UsageRule(
        brokenIf: rate.map { !($0 >= 0.001 && $0 <= 1_000) } ?? false,
        "--rate requires a number from 0.001 to 1000."))
  }

  func run() throws {
    var options = try aiming.options
    let profile = try commands.apply(to: &options)
    var run = AimRun(file, options, profile: profile)
    run.rate = rate
    run.target = to
    if let baud { run.baud = baud }
    run.authorities = ca
    run.tokenFile = tokenFile
    run.serve = serve
    run.form = serveForm
    try run.run()
  }
}
