import ArgumentParser
import Devices
import Sessions
import Sketches
import Traces

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure the timing of a sketch's build.",
    discussion: """
      Runs the build on an emulated ATmega328P and sends it bytes whose effects show how long each \
      of its steps takes. Prints the timing with which the model behaves as that build does, for \
      --timing. A table on standard error shows each figure, the spread of its samples, and the \
      figure built into the model.
      """)

  @Argument(help: "The build, an .elf or .hex file for an Arduino Uno.", completion: .file())
  var file: String

  @Option(help: "The sketch. By default it is identified from its behaviour.")
  var firmware: Firmware?

  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions

  @Option(name: .shortAndLong, help: "The output file; - is standard output.", completion: .file())
  var output = "-"

  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func run() throws {
    let source = try chip.source(path: file)
    var result = try OutputFile(output)
    let calibration = try Calibration(of: source, firmware: firmware, name: file)
    if !talk.quiet {
      Console.report("\(file): \(calibration.firmware.rawValue)")
      for line in calibration.table { Console.report(line) }
    }
    try result.write(Array(calibration.timing.text.utf8))
    try result.finish()
  }
}
