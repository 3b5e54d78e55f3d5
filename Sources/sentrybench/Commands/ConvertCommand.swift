import ArgumentParser
import Captures
import Sessions
import Traces

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Turn other tools' recordings into traces.",
    discussion: """
      Reads captures by logic analysers (sigrok, VCD, Saleae, DSView) and logs of the serial line \
      (socat, strace, USB captures and others). What was found and assumed is reported on standard \
      error. Every command that takes a trace also takes a recording and converts it with the \
      default options. A recording whose kind, channels or ports leave a choice is an error that \
      names them.
      """)

  @Argument(
    help: """
      The recording; - is standard input. Several files where a tool writes one for each channel.
      """)
  var files: [String]

  @OptionGroup var capture: CaptureOptionGroup

  @Flag(help: "Print what the recording has: its kind, channels and speeds. Write no trace.")
  var list = false

  @Flag(help: "With --list, print one JSON object.")
  var json = false

  @Option(name: .shortAndLong, help: "The output file; - is standard output.")
  var output = "-"

  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if json && !list { throw ValidationError("--json requires --list.") }
    if list && output != "-" { throw ValidationError("--list cannot be combined with --output.") }
    if files.count > 1 && files.contains("-") {
      throw ValidationError("Standard input can only be a recording by itself.")
    }
  }

  func run() throws {
    var options = capture.options
    options.isListed = list
    let opened = try OpenedCapture(files, options, zone: capture.timezone?.zone)
    let summary = opened.capture.summary
    if list {
      let listing = CaptureListing(summary)
      for line in json ? [listing.json] : listing.lines { try Console.write(line) }
      if !json { talk.report(summary.notes, about: files[0]) }
      return
    }
    talk.report(summary.sentences, about: files[0])
    var file = try OutputFile(output)
    try opened.write(to: &file)
    try file.finish()
  }
}
