import ArgumentParser
import ChipDevice
import Sessions

struct DebugCommand: ParsableCommand, SelectsDevice, ReadsRecording {
  static let configuration = CommandConfiguration(
    commandName: "debug",
    abstract: "What the sketch was doing at a moment.",
    discussion: """
      Replays a trace or a recording on an emulated ATmega328P up to a moment, and prints which \
      functions were running there, innermost first, with their files, lines and variables, and \
      the last ten lines of the source that ran before. The calls are those that the chip made; \
      functions that the compiler inlined are shown too. Lines and variables require an .elf with \
      debug information (-g; with avr-gcc 5, -gdwarf-2); without it, functions are named by their \
      symbols. A variable that the compiler keeps nowhere at that moment is <optimized out>. A \
      moment that the session does not have is wrong usage.
      """)

  @Argument(help: "\(TraceArgument.help)", completion: .file())
  var trace: String

  @Option(
    help: ArgumentHelp(
      """
      The moment. 2.301s is a time. 'byte 17' is when that byte arrives at the board; 'byte 17 \
      read', when the program takes it; 'event 3', the time of the trace's third event; 'pulse 5', \
      when the fifth pulse of a servo begins; 'twitch 1', when the first twitch ends; and 'lost \
      1', when the first byte is lost.
      """, valueName: "moment"), transform: DebugArgument.moment)
  var at: DebugMoment

  @Option(
    help: """
      The .elf with the symbols and debug information of a program that is given as .hex. Its code \
      must be the same.
      """, completion: .file())
  var symbols: String?

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func run() throws {
    var run = DebugRun(
      try TraceJob(
        TraceArgument.path(trace), on: try deviceOptions.transparentChoice(),
        try recordingOptions(isJudged: true), limit: length.limit, talk.verbosity),
      at: at)
    run.symbols = symbols
    run.printsJSON = json
    try run.run()
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
