import ArgumentParser
import Devices
import Engine
import Serial
import Sessions
import Sketches

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record what passes between a sender and a real board.",
    discussion: """
      The sender opens the pty instead of the board's port. Its bytes are passed on to the board \
      and the board's replies to the sender, and both are recorded. From a board with guarded, \
      servo events are recorded too: the bench makes the sketch report its writes, and hides these \
      reports from the sender. If the board is unplugged, the recording contains a mark and what \
      the sender still sends (x-unsent). It continues when the board is reconnected; the board is \
      recognized by its USB serial number.
      """)

  @Option(help: "The board's serial port, or rfc2217://HOST:PORT.", completion: .file())
  var port: String?

  @Option(
    help: ArgumentHelp(
      "An emulated board in place of the real one: avr:FILE.", valueName: "avr:FILE"),
    completion: .list(["avr:"]))
  var device: String?

  @Option(
    help: """
      The sketch on the board: \(Firmware.list). Default: guarded; on avr:FILE, its program.
      """)
  var firmware: Firmware?

  @Option(
    name: .shortAndLong,
    help: "The output file; - is standard output. It is written line by line.",
    completion: .file())
  var output = "-"

  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup var sender: SenderArgument
  @OptionGroup(title: HelpGroup.session) var duration: DurationOptions
  @OptionGroup(title: HelpGroup.port) var speed: SpeedOptions
  @OptionGroup(title: HelpGroup.port) var link: LinkOptions
  @OptionGroup(title: HelpGroup.output) var keeping: KeepOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  private var chipPath: String? {
    guard let device, device.hasPrefix(DeviceOptions.chipPrefix) else { return nil }
    return String(device.dropFirst(DeviceOptions.chipPrefix.count))
  }

  func validate() throws {
    try UsageRule.check(
      UsageRule(
        brokenIf: (port == nil) == (device == nil),
        "Give the board's port with --port, or --device avr:FILE."),
      UsageRule(
        brokenIf: device != nil && chipPath?.isEmpty != false,
        "--device accepts only avr:FILE here; give a real board with --port."),
      UsageRule("--no-reset and --boot-time", board.isGiven, requires: "--port", port),
      UsageRule(brokenIf: device == nil && chip.isGiven, AVROptions.requirement))
  }

  private func source() throws(Failure) -> any DeviceSource {
    if let chipPath { return try chip.source(path: chipPath) }
    if let place = try RemoteArgument.place(port ?? "") { return board.source(at: place) }
    return board.source(at: SerialPlace(path: port ?? ""))
  }

  func run() throws {
    let choice = try profileOptions.read()
    let source = try source()
    var stated = StatedSession()
    stated.firmware = firmware
    stated.profile = choice
    stated.baud = speed.baud
    var plan = LivePlan(source: source, session: SessionPlan(stated, on: source))
    plan.link = link.pty
    plan.end = duration.end
    plan.command = sender.command
    plan.verbosity = talk.verbosity
    plan.recording = output == "-" ? nil : output
    plan.cache = keeping.cache
    plan.shows = [output == "-" ? .trace : .view]
    plan.rejoins = true
    // What a board did is worth keeping, however its sender ended.
    plan.keepsFailedRecording = true
    try LiveRun(plan).run().check()
  }
}
