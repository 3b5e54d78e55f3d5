import ArgumentParser
import Gateway
import Sessions

struct GatewayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gateway",
    abstract: "WebSocket and TCP senders to a device.",
    discussion: """
      Phones and programs connect to ws://HOST:PORT/ and send commands: X90. aims, L scans. What is no \
      command is reported to its sender and never reaches the board; an aim that has not left yet is \
      replaced by a newer one. One client controls, the others are told so. ws://HOST:PORT/events streams \
      the session as the lines of a trace, /health and /metrics tell how it is. A board may be plugged \
      in and out. On other addresses than loopback a token is wanted. Ctrl-C and SIGTERM let what was sent \
      go out, leave the turret as --on-disconnect says and close; what a board has not taken in 1 s is \
      told.
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

  @OptionGroup var networkOptions: NetworkOptions
  @OptionGroup var session: SessionOptions

  func validate() throws {
    if echo && (session.rotation.record != nil || session.deviceOptions.device != "model") {
      throw ValidationError("--echo touches no device and records nothing.")
    }
  }

  func run() throws {
    let log = session.logOptions.makeLog(session.talk)
    let source = try session.deviceOptions.source()
    let addresses = listen.isEmpty && networkOptions.tcp.isEmpty ? ["127.0.0.1:12354"] : listen
    var server = try networkOptions.server(webSocket: addresses, log: log.logger)
    server.isEcho = echo
    var plan = NetworkPlan(
      door: networkOptions.doorPlan(firmware: session.firmware, baud: session.baud), log: log)
    plan.server = server
    var run = session.makeRun(source, on: plan)
    run.showsTrace = false
    run.mayShowView = false
    try run.run()
  }
}
