import ArgumentParser
import Captures
import ChipDevice
import Sessions
import Sketches

struct DebugCommand: ParsableCommand, SelectsDevice, ReadsRecording, ServesSenders {
  static let configuration = CommandConfiguration(
    commandName: "debug",
    abstract: "What the sketch was doing at a moment.",
    usage: """
      sentrybench debug <trace> --device avr:FILE --at <moment> [<options>]
      sentrybench debug [<trace>] --device avr:FILE --gdb <port> [<options>]
      """,
    discussion: """
      With --at: replays a trace or a recording on an emulated ATmega328P up to a moment, and \
      prints which functions were running there, innermost first, with their files, lines and \
      variables, and the last ten lines of the source that ran before. The calls are those that \
      the chip made; functions that the compiler inlined are shown too. Lines and variables \
      require an .elf with debug information (-g; with avr-gcc 5, -gdwarf-2); without it, \
      functions are named by their symbols. A variable that the compiler keeps nowhere at that \
      moment is <optimized out>. A moment that the session does not have is wrong usage.

      With --gdb: serves a GDB on the session of a trace, of --send, or on a live one with the \
      options of run that are listed here. It goes forwards and backwards. While GDB holds a live \
      session, no time passes in it. Judging, scenes, the API and the view of run are left out: a \
      verdict, a camera or a client would wait with the session. verify judges its recording.
      """)

  @Argument(help: "\(TraceArgument.help)", completion: .file())
  var trace: String?

  @OptionGroup var sender: SenderArgument

  @Option(
    help: ArgumentHelp(
      """
      The moment. 2.301s is a time. 'byte 17' is when that byte arrives at the board; 'byte 17 \
      read', when the program takes it; 'event 3', the time of the trace's third event; 'pulse 5', \
      when the fifth pulse of a servo begins; 'twitch 1', when the first twitch ends; and 'lost \
      1', when the first byte is lost.
      """, valueName: "moment"), transform: DebugArgument.moment)
  var at: DebugMoment?

  @Option(
    help: ArgumentHelp(
      """
      Serve a GDB at this address: target remote :PORT. Without a host it is 127.0.0.1, and port 0 \
      is a free one. The program waits before its first instruction until a GDB continues. One GDB \
      at a time; there is no access control. When it detaches, another can connect, and a live \
      session goes on meanwhile; kill in GDB ends the session.
      """, valueName: "[host:]port"))
  var gdb: String?

  @Option(
    help: ArgumentHelp(
      "Bytes to send at 1.5 s instead of a trace. \(BytesArgument.help).", valueName: "bytes"),
    transform: BytesArgument.init)
  var send: BytesArgument?

  @Option(
    name: .customLong("for"),
    help: "The length of a session with --send (default: 5s), or of a live one.",
    transform: Interval.argument)
  var length: Interval?

  @Option(
    help: """
      The .elf with the symbols and debug information of a program that is given as .hex. Its code \
      must be the same.
      """, completion: .file())
  var symbols: String?

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup(title: HelpGroup.session) var faults: FaultOptions
  @OptionGroup(title: HelpGroup.session) var pins: PinInputOption
  @OptionGroup(title: HelpGroup.session) var limit: LengthOptions
  @OptionGroup(title: HelpGroup.port) var link: LinkOptions
  @OptionGroup(title: HelpGroup.port) var opening: OpeningOptions
  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions
  @OptionGroup(title: HelpGroup.network) var serving: ServingOptions
  @OptionGroup(title: HelpGroup.network) var remote: RemoteOptions
  @OptionGroup(title: HelpGroup.network) var senders: SenderOptions
  @OptionGroup(title: HelpGroup.access) var access: AccessOptions
  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var recording: LiveRecordOption
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  private var isLive: Bool { gdb != nil && trace == nil && send == nil }

  /// The options that only a live session has.
  private var live: [(name: String, value: any Givable)] {
    [
      ("--pty", link.pty), ("--reset-on-open", opening.resetOnOpen), ("--inputs", pins.inputs),
      ("--fault", faults.areGiven), ("--record", recording.record),
      ("--profile", profileOptions.profile), ("--websocket", serving.websocket),
      ("--http", serving.http), ("--rfc2217", remote.rfc2217),
      ("Network options", senders.areGiven || access.areGiven),
    ]
  }

  func validate() throws {
    try deviceOptions.check(restartsBoard: remote.rfc2217 != nil || opening.resetOnOpen)
    var others = try recordingOptions(isJudged: true)
    (others.baud, others.senderBaud) = (CaptureOptions().baud, nil)
    try UsageRule.check(
      [
        UsageRule(
          brokenIf: at == nil && gdb == nil, "debug requires --at, a moment, or --gdb, a port."),
        UsageRule("--at", at, excludes: "--gdb", gdb),
        UsageRule("--at", at, requires: "a trace", trace),
        UsageRule("--send", send, requires: "--gdb", gdb),
        UsageRule(
          brokenIf: trace != nil && send != nil, "Give a trace or --send, not both."),
        UsageRule("--json", json, requires: "--at", at),
        UsageRule("--for", length, requires: "--send, or a live session with --gdb", send, isLive),
        UsageRule("--for", length, atLeast: "1ms"),
        UsageRule(
          brokenIf: !sender.command.isEmpty && !isLive,
          "A command after -- requires --gdb without a trace or --send."),
        UsageRule(
          brokenIf: trace == nil && others.areGiven,
          "Without a recording, only --baud and --sender-baud of its options have a meaning."),
        UsageRule("--sender-baud", facts.senderBaud, requires: "a trace or --send", trace, send),
      ]
        + live.map {
          UsageRule($0.name, $0.value, requires: "--gdb without a trace or --send", isLive)
        })
    try faults.check()
  }

  func run() throws {
    let choice = try deviceOptions.transparentChoice()
    if let at {
      var run = DebugRun(
        try TraceJob(
          TraceArgument.path(trace ?? ""), on: choice, try recordingOptions(isJudged: true),
          limit: limit.limit, talk.verbosity),
        at: at)
      run.symbols = symbols
      run.printsJSON = json
      return try run.run()
    }
    let plan = try GDBPlan(listening: gdb ?? "", program: choice, symbols: symbols)
    guard !isLive else { return try runLive(plan) }
    let input: ReplayRun.Input =
      if let trace {
        .trace(try TraceArgument.path(trace))
      } else {
        .bytes(send?.bytes ?? [], length: length ?? .seconds(5), baud: facts.baud)
      }
    var replay = ReplayRun(input, on: choice, output: "-")
    replay.recording = try recordingOptions(isJudged: true)
    replay.limit = limit.limit
    replay.verbosity = talk.verbosity
    try GDBRun(replay, on: choice, plan).run()
  }

  /// Runs a session as `run` does, with a debugger. Standard output has only the line about its
  /// port.
  private func runLive(_ plan: GDBPlan) throws {
    var run = try RunCommand.parse([])
    (run.sender, run.link, run.opening, run.pins) = (sender, link, opening, pins)
    (run.selection, run.board, run.chip) = (selection, board, chip)
    (run.faults, run.recording, run.profileOptions) = (faults, recording, profileOptions)
    (run.serving, run.remote, run.senders, run.access) = (serving, remote, senders, access)
    (run.duration.length, run.speed.baud, run.talk) = (length, facts.baud, talk)
    try run.validate()
    var settings = try run.settings(judgedBy: nil, run.logOptions.makeLog(talk))
    settings.shows = []
    settings.gdb = plan
    try LiveRun(settings).run().check()
  }
}

/// A parser for the moment.
enum DebugArgument {
  @Sendable static func moment(_ argument: String) throws -> DebugMoment {
    guard let moment = DebugMoment(argument) else {
      throw ValidationError(
        "--at requires a time, such as 2.301s, or one of byte, event, pulse, twitch and lost with "
          + "a number from 1, such as 'byte 17'; found \"\(argument)\".")
    }
    return moment
  }
}
