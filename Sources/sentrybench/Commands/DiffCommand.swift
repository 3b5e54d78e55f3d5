import ArgumentParser
import Sessions
import Sketches

struct DiffCommand: ParsableCommand, ReadsRecording {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two traces' outputs.",
    discussion: "The first contains the expected outputs, the second those that were found.")

  @Argument(
    help: "The trace with the expected outputs; last is the last session.", completion: .file())
  var expected: String

  @Argument(help: "The trace with the outputs that were found.", completion: .file())
  var found: String

  @Option(
    help:
      "The allowed error of an output's time, for example 200us. Overrides the first trace's own.",
    transform: Interval.argument)
  var tolerance: Interval?

  @Option(help: "Write a JUnit report to this file.", completion: .file())
  var junit: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try UsageRule.check(.ofReports(json, junit))
  }

  func run() throws {
    try DiffRun.run(
      expected: TraceArgument.path(expected), found: TraceArgument.path(found),
      recordingOptions(sketchOption: "convert --firmware"),
      tolerance: tolerance, junit: junit, printsJSON: json, talk.verbosity)
  }
}
