import ArgumentParser
import Engine
import Network
import Platform
import Sessions
import Sketches
import Traces

/// Options of `run` for what happens during the session.
struct ControlOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Stop the command after -- if it takes longer than this, for example 10s; 0 for no limit. \
      Default: 60s with --expect, --rules, --strict or --junit, unless --for is given; otherwise \
      none.
      """, valueName: "time"), transform: Interval.limit)
  var timeout: Interval?

  @Option(
    help: """
      The virtual servo whose shaft the view shows: sg90, mg90s or mg996r. Default: sg90. With \
      --rig it takes the place of the scene's servo.
      """)
  var servo: ServoData?
}

/// The option for what is wired to the board's pins during a live session.
struct PinInputOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Apply the levels and voltages that are written to this FIFO, one per line, to the pins of \
      the emulated board: ["set", "D2", 1] or ["analog", "A0", 2.5].
      """, valueName: "fifo"), completion: .file())
  var inputs: String?
}

/// Options of `run` for a scene that a camera sees.
struct SceneOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Run the scene of this file in real time: a face, a camera and a servo with mass. The \
      pictures are served at /camera.mjpg, and the command after -- reads that address from \
      SENTRY_CAMERA. The scene begins when the first program reads the camera, and its end ends \
      the session. The file's rules judge it.
      """, valueName: "scene"), completion: .file())
  var rig: String?

  @Option(
    help: ArgumentHelp(
      """
      With --rig: face=PATH and background=PATH, pictures of a face and of a room in place of the \
      drawn ones; device=/dev/videoN, a device of the kernel's module v4l2loopback to which the \
      pictures are also written. With a device, the scene begins at once. Can be given more than \
      once.
      """, valueName: "face|background|device=path,..."), completion: .file(),
    transform: LiveRigPlan.camera)
  private var camera: [SettingList<LiveRigPlan>] = []

  func validate() throws {
    try UsageRule.check(UsageRule("--camera", camera, requires: "--rig", rig))
  }

  /// The settings for a session; nil without a scene.
  func plan(_ file: RigFile?, showsPulses: Bool) -> LiveRigPlan? {
    file.map { file in
      var plan = LiveRigPlan(file.plan)
      camera.apply(to: &plan)
      plan.hidesPulses = !showsPulses
      return plan
    }
  }
}

extension LiveRigPlan {
  @Sendable fileprivate static func camera(_ text: String) throws -> SettingList<Self> {
    try SettingList(
      text,
      of: [
        Setting("face", path: \.face), Setting("background", path: \.background),
        Setting("device", path: \.device),
      ])
  }
}

/// The option of `run` for the restart of the board when a sender opens the port.
struct OpeningOptions: ParsableArguments {
  @Flag(
    help: """
      Restart the board when a sender opens the port, as an Uno does. Its bootloader then uses the \
      line for --boot-time.
      """)
  var resetOnOpen = false
}

/// Options of `run` for the addresses at which a session can be reached.
struct ServingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Also accept senders over WebSocket on this address. Can be given more than once. A command \
      after -- reads it from SENTRY_WEBSOCKET.
      """, valueName: "host:port"))
  var websocket: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Show the session in a browser at this address, for example 127.0.0.1:12354; port 0 is any \
      free one. The dashboard can also move the turret, and senders can connect there over \
      WebSocket.
      """, valueName: "host:port"))
  var http: String?
}

/// Options of `run` for a trace that judges the session.
struct JudgingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Judge the session by this trace.", valueName: "trace"), completion: .file())
  var expect: [String] = []

  @Option(
    help: """
      The allowed error of the time from a cause to its output, for example 5ms. Default: 20ms.
      """,
    transform: Interval.argument)
  var tolerance: Interval?

  @Option(
    help: ArgumentHelp(
      """
      Also judge the sender's gaps: by how much the time between two of its bytes or commands can \
      differ from the trace's, for example 50ms. By default the largest difference is only reported.
      """, valueName: "time"), transform: Interval.argument)
  var gaps: Interval?

  func validate() throws {
    try UsageRule.check(
      UsageRule(
        brokenIf: expect.count > 1,
        "--expect can be given once: a session is judged by one trace. Run the bench once for each."
      ),
      UsageRule(
        "--tolerance and --gaps", tolerance != nil || gaps != nil, requires: "--expect", expect))
  }

  /// Opens the trace; nil if there is none.
  func open(_ verbosity: Verbosity) throws(TraceError) -> TraceReader? {
    guard let path = expect.first else { return nil }
    var reader = try TraceReader(path: path)
    verbosity.report(reader.notes, about: path)
    // The whole trace is kept in memory.
    try reader.limit(to: SessionLimit(remedy: "a live session cannot be judged by a longer one"))
    return reader
  }
}

/// The option for the recording of a live session.
struct LiveRecordOption: ParsableArguments {
  @Option(
    help: """
      Write the session to this file, line by line. With a command after --, the file is named \
      NAME.failed.jsonl instead of NAME.jsonl until the command has succeeded.
      """, completion: .file())
  var record: String?

  func validate() throws {
    try UsageRule.check(
      UsageRule(
        brokenIf: record == "-",
        "--record requires a file; the trace is printed on standard output anyway."))
  }
}

/// Options of `run` for what it writes.
struct LiveOutputOptions: ParsableArguments {
  @Flag(help: "Let the recording replace NAME.jsonl even if the command after -- fails.")
  var keep = false

  @Option(
    help: """
      Write a JUnit report of the verdict, and of how the command after -- ended, to this file.
      """, completion: .file())
  var junit: String?

  @Flag(help: "Print the verdict as a JSON object instead of the trace.")
  var json = false

  @Flag(help: "Also write the 50 pulse events a second.")
  var pulses = false

  func validate() throws {
    try UsageRule.check(UsageRule("--junit", junit, requires: "a file", junit != "-"))
  }
}

/// Options for a client that controls the session, such as a library in another language.
struct APIOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Take requests in JSON from a client on this Unix socket, which only its user can open; - is \
      standard input and output, and then no trace is printed. A command after -- reads it from \
      SENTRY_API. docs/api.md describes the requests.
      """, valueName: "socket"))
  var api: String?

  @Flag(
    help: """
      With --api: run in virtual time. There is no port, and time passes only when the client \
      requests it.
      """)
  var virtual = false

  /// Whether the client's messages use standard output.
  var usesStandardOutput: Bool { api == "-" }

  func rules(_ run: RunCommand) -> [UsageRule] {
    let hasCommand = !run.sender.command.isEmpty
    let others: [(name: String, value: any Givable)] = [
      ("--pty", run.link.pty), ("--for", run.duration.length),
      ("a command after --", hasCommand), ("--expect", run.judging.expect),
      ("--rules", run.ruleOptions.rules), ("--strict", run.ruleOptions.strict),
      ("--rfc2217", run.remote.rfc2217), ("--junit", run.output.junit),
      ("--report", run.page.report), ("--inputs", run.pins.inputs),
      ("--reset-on-open", run.opening.resetOnOpen), ("--websocket", run.serving.websocket),
      ("--tcp", run.senders.tcp), ("--http", run.serving.http),
    ]
    return [
      UsageRule("--api", api, requires: "a path, or -", api != ""),
      UsageRule(
        "--api -", usesStandardOutput, excludes: "a command after --", hasCommand,
        because: "both read standard input"),
      UsageRule(
        "--api -", usesStandardOutput, excludes: "--json", run.output.json,
        because: "both use standard output"),
      UsageRule("--virtual", virtual, requires: "--api", api),
    ]
      + others.map {
        UsageRule(
          "--virtual", virtual, excludes: $0.name, $0.value,
          because: "the session has no port and no time of its own")
      } + [
        UsageRule(
          "--virtual", virtual, requires: "a device in virtual time, not a board",
          !run.deviceOptions.isBoard)
      ]
  }
}

/// Options for the bench's port over TCP.
struct RemoteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Also serve the port over TCP on this address by RFC 2217, with its modem lines: pyserial and \
      others open rfc2217://HOST:PORT. Without a host it is 127.0.0.1, and port 0 is a free one. \
      One client at a time, the first that sends something; one that sends nothing only listens. \
      Setting DTR, which a client's first byte does, restarts the board as on an Uno, unless \
      --no-reset is given; its bootloader then uses the line for --boot-time. There is \
      no authentication, so another computer's access also requires --allow anonymous. A command \
      after -- reads rfc2217://HOST:PORT from SENTRY_RFC2217.
      """, valueName: "[host:]port"))
  var rfc2217: String?

  /// Returns where to listen. `allowsAnonymous` is whether anyone may connect.
  func endpoint(allowsAnonymous: Bool) throws(Failure) -> Endpoint? {
    guard let rfc2217 else { return nil }
    guard let endpoint = Endpoint(rfc2217) ?? Endpoint("127.0.0.1:\(rfc2217)") else {
      throw Failure(
        .usage,
        "error: \"\(rfc2217)\" is not an address to listen on; expected PORT or HOST:PORT, for "
          + "example 2217 or [::1]:2217")
    }
    guard endpoint.isLoopback || allowsAnonymous else {
      throw Failure(
        .usage,
        "error: \(endpoint) can be reached from other computers, and RFC 2217 has no "
          + "authentication: give `--allow anonymous` to let everybody in, or listen on 127.0.0.1")
    }
    return endpoint
  }

  /// The notice to print at the start.
  static func notice(listening endpoint: Endpoint) -> String {
    let place = endpoint.port == 0 ? "on \(endpoint.host)" : "at \(endpoint)"
    let programs = endpoint.isLoopback ? "on this computer" : "that can reach it"
    return "RFC 2217 has no authentication: any program \(programs) can move the turret \(place)"
  }
}
