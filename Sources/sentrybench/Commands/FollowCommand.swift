import ArgumentParser
import Engine
import Network
import Sessions
import Sketches

struct FollowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Take commands from the robot vision phone.",
    discussion: """
      The phone is a TCP server that answers VISION with what its camera sees. The bench queries \
      it at a fixed rate and aims the turret at 90 degrees plus the angle in the answer. The \
      turret scans when the target is lost, when the phone does not answer, or when its readings \
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

  @Option(help: "What the turret does at the end: hold, scan or centre.")
  var onDisconnect = DisconnectAction.hold

  @OptionGroup var session: SessionOptions

  func validate() throws {
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
    let choice = try session.profileOptions.read()
    let source = try session.deviceOptions.source()
    let planned = SessionPlan(session.stated(choice), on: source)
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
    var network = NetworkPlan(arbiter: arbiter, log: session.logOptions.makeLog(session.talk))
    network.follow = FollowPlan(endpoint: endpoint, settings: settings)
    try LiveRun(session.plan(planned, on: source, network)).run().check()
  }
}
