import ArgumentParser
import Sessions
import Sketches

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two traces' outputs.",
    discussion: "The first contains the expected outputs, the second those that were found.")

  @Argument(help: "The trace with the expected outputs.", completion: .file())
  var expected: String

  @Argument(help: "The trace with the outputs that were found.", completion: .file())
  var found: String

  @Option(
    help:
      "The allowed error of an output's time, for example 200us. Overrides the first trace's own.",
    transform: TimeArgument.init)
  var tolerance: TimeArgument?

  @Option(help: "Write a JUnit report to this file.", completion: .file())
  var junit: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var capture: RecordingOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    if junit == "-" && json {
      throw ValidationError("--json and --junit - cannot both use standard output.")
    }
  }

  func run() throws {
    var run = DiffRun(expected: expected, found: found)
    run.tolerance = tolerance?.interval
    run.junit = junit
    run.printsJSON = json
    run.recording = try capture.options(sketchOption: "convert --firmware")
    run.verbosity = talk.verbosity
    try run.run()
  }
}
