import ArgumentParser
import Devices
import Engine
import Logging
import Network
import Platform
import Sessions
import Sketches
import Traces

/// What `gateway` and `follow` share: sessions without a pty, with a network and a log.
protocol ServesBoard: SelectsDevice, ParsableCommand {
  var duration: DurationOptions { get }
  var speed: SpeedOptions { get }
  var profileOptions: ProfileOptions { get }
  var rotation: RotationOptions { get }
  var logOptions: LogOptions { get }
  var talk: TalkOptions { get }
}

extension ServesBoard {
  /// Returns what the options state. `choice` is the profile, if the command line names one.
  func stated(_ choice: ProfileChoice?) -> StatedSession {
    var stated = StatedSession()
    stated.firmware = deviceOptions.firmware
    stated.profile = choice
    stated.baud = speed.baud
    return stated
  }

  /// Returns the settings of a session that continues while its board is disconnected.
  func plan(
    _ session: SessionPlan, on source: any DeviceSource, _ network: NetworkPlan
  ) -> LivePlan {
    var plan = LivePlan(source: source, session: session)
    plan.verbosity = talk.verbosity
    plan.recording = rotation.record
    plan.rotation = rotation.policy
    plan.hasPty = false
    plan.network = network
    plan.end = duration.end
    plan.rejoins = deviceOptions.isBoard
    plan.awaitsBoard = deviceOptions.isBoard
    return plan
  }
}

/// Options for recording a session that runs for months.
struct RotationOptions: ParsableArguments {
  @Option(
    help: """
      Write the session to this file, for example session.jsonl. A new file is readable by its \
      owner only. Earlier recordings are kept: session.1.jsonl is the most recent of them. If the \
      file is deleted or moved, a new one is started within a second.
      """, completion: .file())
  var record: String?

  @Option(help: "Begin a new file when the recording is this large, in MB. Default: 64.")
  var recordMax: Int?

  @Option(help: "The number of earlier recordings to keep. Default: 5.")
  var recordKeep: Int?

  func validate() throws {
    try UsageRule.check(
      UsageRule("--record", record, requires: "a file", record != "-"),
      UsageRule(
        "--record-max and --record-keep", recordMax != nil || recordKeep != nil,
        requires: "--record", record),
      UsageRule("--record-max", recordMax, in: 1...1_000_000),
      UsageRule("--record-keep", recordKeep, in: 0...1_000))
  }

  var policy: RotationPolicy {
    var policy = RotationPolicy.standard
    if let recordMax { policy.bytesMax = Int64(recordMax) * 1_000_000 }
    if let recordKeep { policy.keep = recordKeep }
    return policy
  }
}

/// Options for the log of a bench with a network.
struct LogOptions: ParsableArguments {
  @Option(help: "The format of messages on standard error: text, or json for one object per line.")
  var log = LogEntry.Format.text

  /// Creates the log. A JSON log receives every message from now on.
  func makeLog(_ talk: TalkOptions) -> BenchLog {
    let log = BenchLog(log, level: Logger.Level(isQuiet: talk.quiet, isVerbose: talk.verbose))
    Console.sendMessages(through: log)
    return log
  }

  /// Whether the arguments request JSON, even if they cannot be parsed.
  static func asksForJSON(_ arguments: [String]) -> Bool {
    let own = arguments.prefix { $0 != "--" }
    return own.contains("--log=json")
      || zip(own, own.dropFirst()).contains { $0 == "--log" && $1 == "json" }
  }
}
