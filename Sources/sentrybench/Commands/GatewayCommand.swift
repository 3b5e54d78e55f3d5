import ArgumentParser
import Engine
import Network
import Platform
import Sessions

struct GatewayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gateway",
    abstract: "Connect WebSocket and TCP senders to a device.",
    discussion: """
      Phones and programs connect to ws://HOST:PORT/ and send commands: X90. aims, L scans. \
      Anything that is not a command is reported to its sender and never reaches the board. A \
      newer aim replaces one that has not been sent yet. One client has control; the others are \
      notified. ws://HOST:PORT/events streams the session as lines of a trace; /health and \
      /metrics report its state. A board can be unplugged and reconnected. Addresses other than \
      loopback require a token. On Ctrl-C and SIGTERM the gateway sends the commands it has \
      accepted, leaves the turret as --on-disconnect states, and closes. It reports what the board \
      did not receive within 1 s.
      """)

  @OptionGroup(title: HelpGroup.network) var listening: ListeningOptions
  @OptionGroup var networkOptions: NetworkOptions
  @OptionGroup var session: SessionOptions
  @OptionGroup(title: HelpGroup.session) var faults: FaultOptions

  func validate() throws {
    let detector = networkOptions.senders.detector
    let hasDevice = session.rotation.record != nil || session.deviceOptions.device != "model"
    try UsageRule.check(
      UsageRule("--echo", listening.echo, excludes: "--device or --record", hasDevice))
    try faults.check()
    try UsageRule.check(
      UsageRule(
        "--echo", listening.echo, excludes: "--fault", faults.areGiven, because: "there is no board"
      ),
      UsageRule("--echo", listening.echo, excludes: "--detector", detector),
      UsageRule(
        "--detector", detector, requires: "--listen if --tcp is given", listening.listen,
        networkOptions.senders.tcp.isEmpty))
  }

  func run() throws {
    let log = session.logOptions.makeLog(session.talk)
    let source = try session.deviceOptions.source()
    let addresses =
      listening.listen.isEmpty && networkOptions.senders.tcp.isEmpty
      ? ["127.0.0.1:12354"] : listening.listen
    var server = try networkOptions.server(webSocket: addresses, log: log.logger)
    server.isEcho = listening.echo
    // Without a device there is nothing to show.
    if !listening.echo { server.pages = .installed() }
    let choice = try session.profileOptions.read()
    var stated = session.stated(choice)
    stated.faults = faults.specs
    stated.seed = faults.seed
    faults.printSeed(session.talk)
    let planned = SessionPlan(stated, on: source)
    let sketch = planned.sketch
    var settings = networkOptions.arbiterSettings(firmware: sketch.firmware, baud: planned.baud)
    if !listening.echo {
      try session.profileOptions.apply(choice, of: sketch, to: &settings, source, log: log.logger)
    }
    var network = NetworkPlan(arbiter: settings, log: log)
    network.server = server
    var plan = session.plan(planned, on: source, network)
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
