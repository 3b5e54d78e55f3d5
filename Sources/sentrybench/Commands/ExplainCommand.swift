import ArgumentParser
import Sessions

struct ExplainCommand: ParsableCommand, SelectsDevice, ReadsRecording {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "What became of every byte.",
    discussion: """
      For each byte, prints when it arrived, when the sketch took it and what became of it, which \
      is its fate: it was taken as a command, for example, or lost because the ring was full. Then \
      prints what the sender probably meant but did not get, what is open where the trace ends, \
      and, if no fault was found, what that rests on. For a trace with uncertain times, it \
      also prints how often each byte had another fate and each command was lost. On avr:, and for \
      a sketch that no model behaves as, it prints what can be seen without knowing the sketch: \
      which bytes were taken or lost, and which outputs followed each. If the recording does not \
      show the session, because its speed does not fit, its lines are swapped or inverted, it is \
      empty, or the sketch knows none of its commands, the first line says so.
      """)

  @Argument(help: "\(TraceArgument.help)", completion: .file())
  var trace: String

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions

  @OptionGroup(title: HelpGroup.worlds) var worldOptions: WorldOptions

  @Flag(help: "Print JSON Lines, one object for each byte.")
  var json = false

  @Option(
    help: ArgumentHelp(
      """
      A recording of the same session on the computer's side, for example of USB. It shows which \
      bytes the adapter or the wire lost, apart from those that the board lost.
      """, valueName: "file"), completion: .file())
  var sent: String?

  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func run() throws {
    var run = ExplainRun(
      try TraceJob(
        TraceArgument.path(trace), on: try deviceOptions.transparentChoice(),
        try recordingOptions(isJudged: true),
        limit: length.limit, talk.verbosity))
    run.worlds = worldOptions.run
    run.printsJSON = json
    run.sent = sent
    try run.run()
  }
}
