import ArgumentParser
import Devices
import Sessions
import Sketches

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a first suite of scenarios and a CI file.",
    usage: "sentrybench init [<options>] [<folder>]",
    discussion: """
      Writes scenarios and a small sender into the folder, and a workflow for GitHub or a job for \
      GitLab. Comments in the files explain them, and how to tell which sketch a board has. \
      Existing files are kept.
      """)

  @Argument(help: "The folder of the scenarios. Default: scenarios.")
  var folder = SuiteTemplate.usualFolder

  @Option(
    help: """
      The sketch on your board. Without it, the scenarios are for classic, the published one. With \
      --device: the sketch of the bench that the program is.
      """)
  var firmware: Firmware?

  @Option(
    help: ArgumentHelp(
      "Your own sketch: an .elf or .hex file, which runs on an emulated chip.",
      valueName: "avr:FILE"), completion: .list(["avr:"]))
  var device: String?

  @Option(help: "Who runs the scenarios at each push.")
  var ci: SuiteTemplate.Service = .github

  @Flag(help: "Also write a test in Python, for pytest.")
  var pytest = false

  @Flag(
    help: """
      Also write what editors need to debug your sketch by debug --gdb: .vscode/launch.json for \
      Cortex-Debug and Native Debug, and in the folder debug an SVD file, lines for PlatformIO, \
      and a programmer for the Arduino IDE 2.
      """)
  var debug = false

  func validate() throws {
    try UsageRule.check(
      UsageRule(brokenIf: folder.isEmpty, "The folder requires a name."),
      UsageRule(
        brokenIf: device.map { !$0.hasPrefix(DeviceOptions.chipPrefix) } ?? false,
        "init --device requires avr:FILE; for a model, use --firmware."))
  }

  func run() throws {
    var template = SuiteTemplate(folder: folder)
    template.sketch = try device.map(program) ?? firmware.map { .model($0) }
    template.service = ci
    template.hasPytest = pytest
    template.hasDebugging = debug
    var kept: Set<String> = []
    for (file, isNew) in try template.write() {
      try Console.write("\(file.path): \(isNew ? "written" : "exists, kept")")
      if !isNew { kept.insert(file.path) }
    }
    for line in template.next(kept: kept) { try Console.write(line) }
  }

  /// Reads the program, so that no suite names one that does not run.
  private func program(_ device: String) throws -> SuiteTemplate.Sketch {
    let options = try DeviceArguments.parse(["--device=\(device)"]).deviceOptions
    var known = firmware
    if case .ours(let firmware)? = try options.source().programSketch { known = known ?? firmware }
    return .program(String(device.dropFirst(DeviceOptions.chipPrefix.count)), known)
  }
}

extension SuiteTemplate.Service: ExpressibleByArgument {}
