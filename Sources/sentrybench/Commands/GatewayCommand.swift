import ArgumentParser
import Bench
import Gateway
import Traces
import Turret

struct GatewayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gateway",
    abstract: "WebSocket and TCP senders to a device.",
    discussion: """
      Phones and programs connect to ws://HOST:PORT/ and send commands: X90. aims, L scans. What is no \
      command is reported to its sender and never reaches the board; an aim that has not left yet is \
      replaced by a newer one. One client controls, the others are told so. ws://HOST:PORT/events streams \
      the session as the lines of a trace, /health and /metrics tell how it is. A board may be plugged \
      in and out. On other addresses than loopback a token is wanted. SIGTERM lets what was sent go out, \
      leaves the turret as --on-disconnect says and closes.
      """)

  @Option(
    help: ArgumentHelp(
      """
      Listen for WebSocket on this address; may be given again. Default: 127.0.0.1:12354, unless --tcp \
      is given.
      """, valueName: "host:port"))
  var listen: [String] = []

  @Flag(help: "Send every message back to its sender; no device is touched. For tests of clients.")
  var echo = false

  @OptionGroup var deviceOptions: DeviceOptions
  @OptionGroup var networkOptions: NetworkOptions
  @OptionGroup var rotation: RotationOptions

  @Option(help: "The board's speed in bits a second. Default: 9600.")
  var baud = 9_600

  @Option(name: .customLong("for"), help: "End by itself after this time, for example 10s.")
  var length: TimeArgument?

  @OptionGroup var logOptions: LogOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if !SerialLine.bauds.contains(baud) {
      throw ValidationError("--baud takes a speed from 1 to \(SerialLine.bauds.upperBound).")
    }
    if echo && (rotation.record != nil || deviceOptions.device != "model") {
      throw ValidationError("--echo touches no device and records nothing.")
    }
  }

  func run() throws {
    let source = try deviceOptions.source()
    let firmware = deviceOptions.firmware ?? .guarded
    let log = logOptions.makeLog(talk)
    let addresses = listen.isEmpty && networkOptions.tcp.isEmpty ? ["127.0.0.1:12354"] : listen
    var server = try networkOptions.server(webSocket: addresses, log: log.logger)
    server.isEcho = echo
    var plan = NetworkPlan(
      door: networkOptions.doorPlan(firmware: firmware, baud: baud), log: log)
    plan.server = server
    var run = LiveRun(
      source: source, firmware: firmware, baud: baud, talk: talk, recording: rotation.record)
    run.rotation = rotation.policy
    run.hasPty = false
    run.network = plan
    run.log = log
    run.end = length.map { .zero + .microseconds($0.interval.nanoseconds / 1_000) }
    run.showsTrace = false
    run.mayShowView = false
    run.rejoins = deviceOptions.isBoard
    run.startsWithoutBoard = deviceOptions.isBoard
    try run.run()
  }
}
