import ArgumentParser
import Devices
import Sessions
import Traces
import Turret

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure the timing of a sketch's build.",
    discussion: """
      The build runs on an emulated ATmega328P and is sent bytes whose effects show what each of its \
      steps costs. What is printed is the timing that the model needs to be as that build: --timing \
      takes it. A table goes to standard error: each figure, how far its samples lay apart, and \
      what the model has built in.
      """)

  @Argument(help: "The build, an .elf or .hex file for an Arduino Uno.")
  var file: String

  @Option(help: "Which sketch it is. Default: found out by what it does.")
  var firmware: Firmware?

  @OptionGroup var chip: AVROptions

  @Option(name: .shortAndLong, help: "Where the timing goes; - is standard output.")
  var output = "-"

  @OptionGroup var talk: TalkOptions

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
