import ArgumentParser
import Gateway
import Sessions
import Turret

struct FollowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "The robot vision phone as a sender.",
    discussion: """
      The phone is a TCP server that answers VISION with what its camera sees. It is asked at a rate, the \
      turret is aimed at 90 degrees plus the angle it tells, and scans when the target is lost, the phone \
      does not answer or its readings stand still. A phone that is not there is waited for.
      """)

  @Argument(help: ArgumentHelp("The phone's address.", valueName: "host:port"))
  var phone: String

  @Option(help: "Questions a second, 1 to 120.")
  var rate = 30

  @Option(
    help: """
      A reading that stays the same for this long is that of a camera that hangs. Default: 2s.
      """)
  var stale: TimeArgument?

  @Option(help: "What the turret does at the end: hold, scan or centre.")
  var onDisconnect = DisconnectAction.hold

  @OptionGroup var session: SessionOptions

  func validate() throws {
    guard let endpoint = Endpoint(phone), endpoint.port > 0 else {
      throw ValidationError(
        "\"\(phone)\" is no address; expected HOST:PORT, for example 192.168.1.20:5800.")
    }
    if !(1...120).contains(rate) { throw ValidationError("--rate takes 1 to 120.") }
    if let stale, stale.interval < .milliseconds(1) {
      throw ValidationError("--stale takes a time from 1ms.")
    }
  }

  func run() throws {
    guard let endpoint = Endpoint(phone) else { throw Failure(.usage) }
    var door = DoorPlan(firmware: session.firmware, baud: session.baud)
    door.onDisconnect = onDisconnect
    door.announcesClients = false
    var settings = FollowSettings()
    settings.rate = rate
    if let stale { settings.staleTime = stale.interval }
    var plan = NetworkPlan(door: door, log: session.logOptions.makeLog(session.talk))
    plan.follow = FollowPlan(endpoint: endpoint, settings: settings)
    try session.makeRun(session.deviceOptions.source(), on: plan).run()
  }
}
