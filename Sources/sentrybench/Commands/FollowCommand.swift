import ArgumentParser
import Bench
import Gateway
import Traces
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

  @Option(help: "Questions a second, 1 to 120. Default: 30.")
  var rate = 30

  @Option(
    help: """
      A reading that stays the same for this long is that of a camera that hangs. Default: 2s.
      """)
  var stale: TimeArgument?

  @OptionGroup var deviceOptions: DeviceOptions

  @Option(
    help: "What the turret does at the end: hold, scan or centre. Default: hold.")
  var onDisconnect = DisconnectAction.hold

  @OptionGroup var rotation: RotationOptions

  @Option(help: "The board's speed in bits a second. Default: 9600.")
  var baud = 9_600

  @Option(name: .customLong("for"), help: "End by itself after this time, for example 10s.")
  var length: TimeArgument?

  @OptionGroup var logOptions: LogOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    guard let endpoint = Endpoint(phone), endpoint.port > 0 else {
      throw ValidationError(
        "\"\(phone)\" is no address; expected HOST:PORT, for example 192.168.1.20:5800.")
    }
    if !(1...120).contains(rate) { throw ValidationError("--rate takes 1 to 120.") }
    if !SerialLine.bauds.contains(baud) {
      throw ValidationError("--baud takes a speed from 1 to \(SerialLine.bauds.upperBound).")
    }
  }

  func run() throws {
    guard let endpoint = Endpoint(phone) else { throw Failure(.usage) }
    let firmware = deviceOptions.firmware ?? .guarded
    let log = logOptions.makeLog(talk)
    var door = DoorPlan(firmware: firmware, baud: baud)
    door.onDisconnect = onDisconnect
    var settings = FollowSettings()
    settings.rate = rate
    if let stale { settings.staleTime = stale.interval }
    var plan = NetworkPlan(door: door, log: log)
    plan.follow = FollowPlan(endpoint: endpoint, settings: settings)
    var run = LiveRun(
      source: try deviceOptions.source(), firmware: firmware, baud: baud, talk: talk,
      recording: rotation.record)
    run.rotation = rotation.policy
    run.hasPty = false
    run.network = plan
    run.log = log
    run.end = length.map { .zero + .microseconds($0.interval.nanoseconds / 1_000) }
    run.rejoins = deviceOptions.isBoard
    run.startsWithoutBoard = deviceOptions.isBoard
    try run.run()
  }
}
