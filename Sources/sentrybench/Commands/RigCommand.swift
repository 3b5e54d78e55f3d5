import ArgumentParser
import Engine
import Sessions
import Sketches

struct RigCommand: ParsableCommand, SelectsDevice {
  static let configuration = CommandConfiguration(
    commandName: "rig",
    abstract: "Let a turret follow a face, in virtual time.",
    discussion: """
      Runs a closed loop: faces that move, a camera beside the turret or on it, what a detector \
      finds in its pictures after a delay, a program that tracks, the line, the board, a servo \
      with mass and its supply, and back to the camera. The file SCENE states them; see \
      docs/guide/rig.md in the project. Prints how well the turret follows. The bench's own aim \
      tracks, with the options under aim in the file, unless a command follows --. That gets \
      observations on its standard input, first the header and then a line for each picture, and \
      prints a line for each: the bytes that it sends, or nothing. The exit status is 1 if a rule \
      under expect in the file is broken; with --sweep, broken rules are only counted.
      """)

  @Argument(
    help: "The file with the scene, in YAML.", completion: .file(extensions: ["yaml", "yml"]))
  var scene: String

  @Argument(
    parsing: .postTerminator, help: "After --: a command that tracks instead of the bench.")
  var command: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Another value than that in the file, for example camera.delay=120ms or dead-zone=2. \
      Repeatable.
      """, valueName: "name=value"))
  var with: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Run the rig with each of several values, for a table: NAME=LOW..HIGH, NAME=LOW..HIGH:STEP or \
      NAME=A|B|C; with commas between them, all combinations.
      """, valueName: "values"))
  var sweep: String?

  @Option(help: "The seed of the random numbers. Default: that in the file, or 1.")
  var seed: UInt64?

  @Option(
    name: .customLong("for"), help: "The length of the session. Default: that in the file.",
    transform: Interval.argument)
  var length: Interval?

  @Option(
    help: ArgumentHelp(
      """
      A profile of the sketch's commands: a file, or the name of a sketch of the bench. The \
      bench's own aim sends its command that has the number pan, and perhaps tilt.
      """, valueName: "file"), completion: .file())
  var profile: String?

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions

  @Option(
    name: .shortAndLong, help: "Write the trace to this file; - is standard output.",
    completion: .file())
  var output: String?

  @Option(
    help: """
      Draw the session as an SVG to this file; with --sweep, a heat map. - is standard output.
      """, completion: .file())
  var picture: String?

  @Flag(
    help: """
      Track by whoever started this: print the observations on standard output, read the bytes for \
      each picture from standard input, a line each, and print the figures as JSON at the end.
      """)
  var stdio = false

  @Flag(help: "Print the figures as a JSON object; with --sweep, one for each row.")
  var json = false

  @Option(
    help: "The number of sessions of a sweep to run at once. Default: one for each processor.")
  var jobs: Int?

  @Option(
    help: """
      With --sweep: run only the I-th (from 1) of N parts of the rows, and print each row as a \
      JSON object for --rows.
      """)
  var shard: Shard?

  @Option(
    help: "With --sweep: show the rows in this file, which --shard has printed, and run none.",
    completion: .file())
  var rows: String?

  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try deviceOptions.check()
    let printsSession = output == "-" || picture == "-"
    let sweepsLength = try sweeps.contains { $0.path == "length" }
    try UsageRule.check(
      UsageRule(
        brokenIf: sweep != nil && output != nil,
        "--output writes one session; it cannot be combined with --sweep."),
      UsageRule(
        brokenIf: output == "-" && picture == "-",
        "The trace and the picture cannot both go to standard output."),
      UsageRule(
        "--stdio", stdio, excludes: "a command after --, --sweep or output to -", command, sweep,
        printsSession),
      UsageRule(
        brokenIf: json && printsSession,
        "--json prints the figures, so nothing else can go to standard output."),
      UsageRule("--for", length, excludes: "a sweep of the length", sweepsLength),
      UsageRule(
        "--for", length, requires: "at most a day",
        length.map { $0 <= .seconds(86_400) } ?? true),
      UsageRule("--shard", shard, requires: "--sweep", sweep),
      UsageRule("--rows", rows, requires: "--sweep", sweep),
      UsageRule(
        brokenIf: shard != nil && (rows != nil || picture != nil),
        "--shard only prints rows; it cannot be combined with --rows or --picture."),
      UsageRule(
        brokenIf: rows != nil && !command.isEmpty,
        "--rows runs nothing; it cannot be combined with a command after --."),
      UsageRule("--jobs", jobs, requires: "--sweep", sweep),
      UsageRule("--jobs", jobs, atLeast: 1),
      UsageRule(
        "--for", length, requires: "a length over zero", length.map { $0 > .zero } ?? true))
    _ = try settings
  }

  private var settings: [(path: String, value: String)] {
    get throws {
      var settings = try with.map { text in
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
          throw ValidationError(
            "--with requires NAME=VALUE, for example camera.delay=120ms, found \(text).")
        }
        return (path: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
      }
      if let seed { settings.append((path: "seed", value: "\(seed)")) }
      return settings
    }
  }

  private var sweeps: [RigSweep] {
    get throws {
      guard let sweep else { return [] }
      do throws(RigSweep.Mistake) {
        return try RigSweep.parse(sweep)
      } catch {
        throw ValidationError("--sweep: \(error).")
      }
    }
  }

  func run() throws {
    let options = deviceOptions
    var run = RigRun(scene) { named in
      var options = options
      if let named, options.selection.device == nil { options.selection.device = named }
      return try options.choice()
    }
    run.settings = try settings
    run.sweep = try sweeps
    run.shard = shard
    run.rows = rows
    run.length = length
    run.profile = try profile.map { (text) throws(Failure) in try ProfileChoice(text) }
    run.tracker = stdio ? .standardStreams : command.isEmpty ? .aim : .command(command)
    run.trace = output
    run.picture = picture
    run.printsJSON = json || stdio
    run.jobs = jobs
    run.verbosity = talk.verbosity
    try run.run()
  }
}
