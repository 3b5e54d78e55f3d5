import ArgumentParser
import Sessions
import Sketches

struct ContractCommand: ParsableCommand, SelectsDevice {
  static let configuration = CommandConfiguration(
    commandName: "contract",
    abstract: "Measure what a sender can rely on.",
    discussion: """
      Runs thousands of short sessions on the device, and prints how soon after a reset it obeys, \
      the smallest safe gap between commands at each speed, how late a command can take effect, \
      how long the sketch takes no byte (it is deaf then), what ends a command that was broken \
      off, and which bytes do harm between commands. A gap is safe if all of 128 commands in a \
      row are obeyed, whenever they begin: on an idle sketch, and after each of its commands \
      without a number. Bisection assumes that a longer gap is as safe as a shorter one. The \
      effect is that of a short command or of a long one, whichever is later. Ctrl-C ends the \
      measurement, and what is known so far is printed; at the end of --budget too, with the exit \
      status 124.
      """)

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions

  @Option(
    help: ArgumentHelp(
      "Write the witnesses into this folder: for each figure a trace that shows it.",
      valueName: "folder"),
    completion: .directory)
  var witnesses: String?

  @Option(
    help: ArgumentHelp(
      "Write the rules that a sender must keep to this file, for run --rules.", valueName: "file"),
    completion: .file())
  var rules: String?

  @Option(
    help: "How long to measure, for example 30s; 0 for no limit. Default: 60s.",
    transform: Interval.limit)
  var budget: Interval?

  @Flag(help: "Print a JSON object, with times in seconds.")
  var json = false

  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func run() throws {
    var run = ContractRun(on: try deviceOptions.choice())
    run.profile = try profileOptions.read()
    run.witnesses = witnesses
    run.rules = rules
    run.printsJSON = json
    if let budget { run.budget = budget.limit }
    run.verbosity = talk.verbosity
    try run.run()
  }
}
