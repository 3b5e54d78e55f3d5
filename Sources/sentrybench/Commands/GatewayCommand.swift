import ArgumentParser
import Engine
import Network
import Platform
import Sessions

struct GatewayCommand: ParsableCommand, ServesBoard, ServesSenders {
  static let configuration = CommandConfiguration(
    commandName: "gateway",
    abstract: "Connect WebSocket and TCP senders to a device.",
    discussion: """
      Phones and programs connect to ws://HOST:PORT/ and send commands: X90. aims, L sweeps. \
      Anything that is not a command is reported to its sender and never reaches the board. A \
      newer aim replaces one that has not been sent yet. One client has control; the others are \
      notified. ws://HOST:PORT/events streams the session as lines of a trace; /health and \
      /metrics report its state. A board can be unplugged and reconnected. Addresses other than \
      loopback require a token. On Ctrl-C and SIGTERM the gateway sends the commands it has \
      accepted, leaves the turret as --on-disconnect states, and closes. It reports what the board \
      did not receive within 1 s.
      """)

  @OptionGroup(title: HelpGroup.network) var listening: ListeningOptions
  @OptionGroup(title: HelpGroup.network) var senders: SenderOptions
  @OptionGroup(title: HelpGroup.access) var access: AccessOptions
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
  @OptionGroup(title: HelpGroup.session) var faults: FaultOptions

  func validate() throws {
    try deviceOptions.check()
    let detector = senders.detector
    let hasDevice = rotation.record != nil || deviceOptions.device != "model"
    try UsageRule.check(
      UsageRule("--echo", listening.echo, excludes: "--device or --record", hasDevice))
    try faults.check()
    try UsageRule.check(
      UsageRule(
        "--echo", listening.echo, excludes: "--fault", faults.areGiven, because: "there is no board"
      ),
      UsageRule("--echo", listening.echo, excludes: "--detector", detector),
      remoteDetectorRule,
      UsageRule(
        "--detector", detector, requires: "--listen if --tcp is given", listening.listen,
        senders.tcp.isEmpty))
  }

  func run() throws {
    let log = logOptions.makeLog(talk)
    let source = try deviceOptions.source()
    let addresses =
      listening.listen.isEmpty && senders.tcp.isEmpty
      ? ["127.0.0.1:12354"] : listening.listen
    var server = try server(webSocket: addresses, log: log.logger)
    server.isEcho = listening.echo
    // Without a device there is nothing to show.
    if !listening.echo { server.pages = .installed() }
    let choice = try profileOptions.read()
    var stated = stated(choice)
    stated.faults = faults.specs
    stated.seed = faults.seed
    faults.printSeed(talk)
    let planned = SessionPlan(stated, on: source)
    let sketch = planned.sketch
    var settings = arbiterSettings(firmware: sketch.firmware, baud: planned.baud)
    if !listening.echo {
      try profileOptions.apply(choice, of: sketch, to: &settings, source, log: log.logger)
    }
    var network = NetworkPlan(arbiter: settings, log: log)
    network.server = server
    var plan = plan(planned, on: source, network)
    plan.shows = []
    try LiveRun(plan).run().check()
  }
}

/// The option for the gateway's own addresses, and what it does there.
struct ListeningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Listen for WebSocket on this address. Can be given more than once. Default: 127.0.0.1:12354, \
      unless --tcp is given.
      """, valueName: "host:port"))
  var listen: [String] = []

  @Flag(help: "Send every message back to its sender, without a device, to test clients.")
  var echo = false
}
