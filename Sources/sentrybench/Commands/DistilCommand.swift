import ArgumentParser
import Sessions
import Sketches

struct DistilCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "distil",
    abstract: "Make a short test from a session that went wrong.",
    discussion: """
      To distil a session is to keep only the part that matters, as a test. The command finds the \
      first thing that went wrong in a trace or a recording: a command that the sketch took \
      differently from what its sender meant, or an angle that it should not have commanded. It \
      searches for the smallest part of the session in which the same happens on the model, \
      rounds its times, and writes it as a trace that expects what --firmware does with the same \
      bytes. verify therefore fails until the sketch does the same. If the fault is the sender's, \
      for example because it left out a full stop, a scenario for the sender is written next to \
      the trace, under its name with the ending .yaml; test refuses it until the command that \
      starts the sender is filled in. If nothing went wrong, or the recording does not show the \
      session, nothing is written and the exit status is 1.
      """)

  @Argument(
    help: "The trace or recording; - is standard input, last the last session.",
    completion: .file())
  var file: String

  @Option(help: "The sketch that behaves correctly. Default: guarded.")
  var firmware = Firmware.guarded

  @Option(
    help: "Look for what went wrong from this time on, for example 2.5s.",
    transform: Interval.argument)
  var since: Interval?

  @Option(name: .shortAndLong, help: "The output file; - is standard output.", completion: .file())
  var output = "-"

  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.recording) var capture: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func run() throws {
    let recording = try capture.options(
      from: kind, until: end, isJudged: true, sketchOption: "convert --firmware")
    var run = DistilRun(
      try TraceJob(
        TraceArgument.path(file), on: .model, recording, limit: length.limit, talk.verbosity),
      wanted: firmware, output: output)
    run.since = since
    try run.run()
  }
}
