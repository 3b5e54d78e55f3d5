import ArgumentParser
import Sessions

struct ProfileCommand: ParsableCommand, ReadsRecording {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Propose a profile for a sketch of your own.",
    discussion: """
      Runs the sketch on an emulated ATmega328P and sends it the bytes of a session. Prints a \
      profile for --profile: the commands, the speed, the servos and pins, and what the sketch \
      sends at its start. For numbers in commands, it states the range in the session, and the \
      range in which servos, tones or pins still follow when other numbers are tried. It finds \
      numbers in digits, bytes and words of 16 bits, checksums, pauses that end commands, and \
      answers. Comments state what was observed, and "Not certain" what can be read in two ways. \
      Check them: a session shows only what its sender used. If no command is found, or the \
      profile would refuse a command that moved something, it prints the rest and ends with status \
      65. After 50 s of processor time nothing else is tried.
      """)

  @Argument(help: "The sketch, an .elf or .hex file.")
  var sketch: String

  @Option(help: "The session, a trace or a recording; - is standard input.", completion: .file())
  var learn: String

  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions

  @Option(name: .shortAndLong, help: "The output file; - is standard output.", completion: .file())
  var output = "-"

  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func run() throws {
    try ProfileRun.run(
      sketch, on: chip.source(path: sketch), learning: learn,
      recordingOptions(sketchOption: "convert --firmware"), output: output, talk.verbosity)
  }
}
