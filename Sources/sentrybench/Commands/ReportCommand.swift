import ArgumentParser
import Sessions
import Sketches

struct ReportCommand: ParsableCommand, SelectsDevice, ReadsRecording {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write one HTML file about a session.",
    discussion: """
      The file contains the verdict, a picture that can be enlarged, a table of the commands with \
      what the sender meant and what the turret did, what became of the bytes, where trace and \
      device differ, the same session on guarded, and the trace itself to save. It needs no other \
      file and no network, and can be read without scripts. It is at most 1 MB long; what does not \
      fit is left out, and the file says so. The exit status is 0 whatever the verdict; use verify \
      for a check. It is 1 if the recording does not show the session: its speed does not fit, its \
      lines are swapped or inverted, it is empty, or the sketch knows none of its commands. The \
      file then says so first.
      """)

  @Argument(help: "\(TraceArgument.help)", completion: .file())
  var trace: String

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions

  @Option(
    help: "The allowed error of an output's time, for example 200us. Overrides the trace's own.",
    transform: Interval.argument)
  var tolerance: Interval?

  @OptionGroup(title: HelpGroup.worlds) var worldOptions: WorldOptions

  @Option(help: "The virtual servo: sg90 (default), mg90s or mg996r.")
  var servo = ServoData.sg90

  @OptionGroup var chosen: ChosenOutputOption

  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func run() throws {
    let trace = try TraceArgument.path(trace)
    let output = ChosenOutput(chosen.output, for: trace, ending: ".html")
    let job = try TraceJob(
      trace, on: try deviceOptions.choice(), try recordingOptions(isJudged: true),
      limit: length.limit, talk.verbosity)
    var run = ReportRun(job, into: try ReportFile(output.path, by: SentryBench.program))
    run.tolerance = tolerance
    run.worlds = worldOptions.run
    run.servo = servo
    try output.write(talk.verbosity) { try run.run() }
  }
}
