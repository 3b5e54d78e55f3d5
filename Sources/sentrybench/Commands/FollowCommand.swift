import ArgumentParser
import Engine
import Network
import Sessions
import Sketches

struct FollowCommand: ParsableCommand, ServesBoard {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Take commands from the robot vision phone.",
    discussion: """
      The phone is a TCP server that answers VISION with what its camera sees. The bench queries \
      it at a fixed rate and aims the turret at 90 degrees plus the angle in the answer. The \
      turret sweeps when the target is lost, when the phone does not answer, or when its readings \
      no longer change. The bench waits for a phone that cannot be reached.
      """)

  @Argument(help: ArgumentHelp("The phone's address.", valueName: "host:port"))
  var phone: String

  @Option(help: "The number of queries a second, 1 to 120.")
  var rate = 30

  @Option(
    help: """
      The camera counts as frozen if its reading has not changed for this long. Default: 2s.
      """,
    transform: Interval.argument)
  var stale: Interval?

  @Option(help: "What the turret does at the end: hold, sweep or centre.")
  var onDisconnect = DisconnectAction.hold

  @OptionGroup(title: HelpGroup.session) var duration: DurationOptions
  @OptionGroup(title: HelpGroup.port) var speed: SpeedOptions
  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions
  @OptionGroup(title: HelpGroup.output) var rotation: RotationOptions
  @OptionGroup(title: HelpGroup.output) var logOptions: LogOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try deviceOptions.check()
    try UsageRule.check(
      UsageRule(
        brokenIf: Endpoint(phone).map { $0.port <= 0 } ?? true,
        "\"\(phone)\" is not an address; expected HOST:PORT, for example 192.168.1.20:5800."),
      UsageRule("--rate", rate, in: 1...120),
      UsageRule("--stale", stale, atLeast: "1ms"))
  }

  func run() throws {
    guard let endpoint = Endpoint(phone) else { throw Failure(.usage) }
    // The phone's readings become aims, which only the bench's own sketches have.
    let choice = try profileOptions.read()
    let source = try deviceOptions.source()
    let planned = SessionPlan(stated(choice), on: source)
    var arbiter = ArbiterSettings(firmware: planned.sketch.firmware, baud: planned.baud)
    switch choice {
    case .ours?, nil: break
    case .own?, .bytes?:
      throw Failure(
        .usage,
        "error: follow sends X90. and L: --profile accepts only \(Firmware.list) here")
    }
    arbiter.onDisconnect = onDisconnect
    arbiter.announcesClients = false
    var settings = FollowSettings()
    settings.rate = rate
    if let stale { settings.staleTime = stale }
    var network = NetworkPlan(arbiter: arbiter, log: logOptions.makeLog(talk))
    network.follow = FollowPlan(endpoint: endpoint, settings: settings)
    try LiveRun(plan(planned, on: source, network)).run().check()
  }
}
