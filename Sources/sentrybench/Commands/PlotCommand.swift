import ArgumentParser
import Sessions
import Sketches
import Traces

struct PlotCommand: ParsableCommand, SelectsDevice {
  static let configuration = CommandConfiguration(
    commandName: "plot",
    abstract: "Draw a session as one self-contained SVG.",
    discussion: """
      Shows the commanded angle, the pulses on the pin, the shaft, what the sketch was doing and \
      the bytes as they arrived, with those that were lost, and where the trace and the device \
      diverge. For a trace with uncertain times, it also shows the range of the commanded angle \
      over many timings, and when each byte can have arrived. If the recording does not show the \
      session, because its speed does not fit, its lines are swapped or inverted, it is empty, or \
      the sketch knows none of its commands, the picture says so, and the exit status is 1.
      """)

  @Argument(help: "\(TraceArgument.help)", completion: .file())
  var trace: String

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions

  @OptionGroup(title: HelpGroup.worlds) var worldOptions: WorldOptions

  @Option(help: "The virtual servo: sg90 (default), mg90s or mg996r.")
  var servo = ServoData.sg90

  @Option(
    help: "Show the session from this time on, for example 1.5s.", transform: Interval.argument)
  var from: Interval?

  @Option(help: "Show the session up to this time, for example 2s.", transform: Interval.argument)
  var to: Interval?

  @OptionGroup var chosen: ChosenOutputOption

  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.recording) var capture: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try deviceOptions.check()
    let start = from ?? .zero
    let end = to ?? start + .nanoseconds(1)
    try UsageRule.check(
      UsageRule(
        brokenIf: end <= start,
        "--to must be later than --from: it is \(String(readable: end)), and --from is "
          + "\(String(readable: start))."))
  }

  func run() throws {
    let trace = try TraceArgument.path(trace)
    let output = ChosenOutput(chosen.output, for: trace, ending: ".svg")
    let recording = try capture.options(since: start, until: end, isJudged: true)
    var run = PlotRun(
      try TraceJob(
        trace, on: try deviceOptions.transparentChoice(), recording, limit: length.limit,
        talk.verbosity),
      output: output.path)
    run.worlds = worldOptions.run
    run.servo = servo
    run.start = .zero + (from ?? .zero)
    run.end = to.map { .zero + $0 } ?? .distantFuture
    try output.write(talk.verbosity) { try run.run() }
  }
}
