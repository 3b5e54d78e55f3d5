import ArgumentParser
import Captures
import Devices
import Files
import Sessions
import Traces
import Turret
import Waveforms

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Turn other tools' recordings into traces, and traces into waveforms.",
    discussion: """
      Reads captures by logic analysers (sigrok, VCD, Saleae, DSView) and logs of the serial line \
      (socat, strace, USB captures and others). What was found and assumed is reported on standard \
      error. Every command that takes a trace also takes a recording and converts it with the \
      default options. A recording whose kind, channels or ports leave a choice is an error that \
      names them.

      With --to, the file can also be a trace. Its session becomes the levels of four wires: RX, \
      TX, SERVO and TONE. A VCD also has the bytes and their fates, the state of the sketch, the \
      angle, the tone and the number of waiting bytes. What the trace does not have is added by \
      the model; with --device, all outputs are those of the device.
      """)

  @Argument(
    help: """
      The recording; - is standard input. Several files where a tool writes one for each channel.
      """)
  var files: [String]

  @OptionGroup var waveforms: WaveformOptions

  @OptionGroup var capture: CaptureOptionGroup

  @OptionGroup var deviceOptions: DeviceOptions

  @Flag(help: "Print what the recording has: its kind, channels and speeds. Write no trace.")
  var list = false

  @Flag(help: "With --list, print one JSON object.")
  var json = false

  @Option(name: .shortAndLong, help: "The output file; - is standard output.")
  var output = "-"

  @OptionGroup var length: LengthOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if json && !list { throw ValidationError("--json requires --list.") }
    if list && output != "-" { throw ValidationError("--list cannot be combined with --output.") }
    if files.count > 1 && files.contains("-") {
      throw ValidationError("Standard input can only be a recording by itself.")
    }
    if waveforms.format == nil {
      if waveforms.samplerate != nil || deviceOptions.isGiven || length.allowLong {
        throw ValidationError(
          "--samplerate, --allow-long and the options of a device require --to with a format of "
            + "waveforms.")
      }
    } else if list {
      throw ValidationError("--list cannot be combined with --to.")
    } else if capture.timezone != nil {
      throw ValidationError("--timezone cannot be combined with --to: waveforms have no date.")
    }
  }

  func run() throws {
    if let format = waveforms.format { return try draw(format, on: deviceOptions.source()) }
    var options = capture.options(firmware: deviceOptions.firmware)
    options.isListing = list
    let opened = try OpenedCapture(files, options, zone: capture.timezone?.zone)
    let summary = opened.capture.summary
    if list {
      let listing = CaptureListing(summary)
      for line in json ? [listing.json] : listing.lines { try Console.write(line) }
      if !json { talk.report(summary.notes, about: files[0]) }
      return
    }
    talk.report(opened.capture.sentences, about: files[0])
    var file = try OutputFile(output)
    try opened.write(to: &file)
    try file.finish()
  }

  private func draw(_ format: WaveformFormat, on source: some DeviceSource) throws {
    guard source.isVirtual else {
      throw Failure(
        .unavailable,
        "error: the device \"\(deviceOptions.device)\" cannot be used here: a waveform requires a "
          + "device in virtual time")
    }
    let input = try openTrace()
    var reader = try input.reader()
    talk.report(reader.notes, about: files[0])
    try length.limit(&reader)
    let firmware = try source.firmware(
      of: reader.header, in: reader.path, unless: deviceOptions.firmware)
    let device = try source.makeDevice(for: reader.header, firmware: firmware, showsPulses: true)
    var recorded: Set<Output.Kind> = []
    if !deviceOptions.isGiven {
      recorded = try reader.kindsOfOutput() ?? []
      recorded.formUnion(reader.header.expects ?? [])
    }
    let plan = WaveformPlan(recorded: recorded, on: device.capabilities)
    talk.report([plan.sentence(device: deviceOptions.device)], about: files[0])
    let drawing = WaveformOutput(
      format, rate: waveforms.rate, plan, deviceName: deviceOptions.device,
      timing: source.timing ?? firmware.sketch.timing,
      pins: format == .vcd
        ? try WavePins.named(in: input.reader(), on: device, adding: plan.added) : WavePins())
    var file = try OutputFile(output)
    let report = try drawing.draw(&reader, on: device) { try file.write($0) }
    talk.report(report.notes, about: files[0])
    try file.finish()
    if let fault = report.fault { throw fault }
  }

  /// Opens the file as a trace that can be read more than once.
  private func openTrace() throws -> TraceInput {
    let options = capture.options(firmware: deviceOptions.firmware)
    if files.count == 1 {
      return try TraceInput(path: files[0], isReadAgain: true, options: options)
    }
    return try TraceInput(OpenedCapture(files, options).capture, path: files[0])
  }
}
