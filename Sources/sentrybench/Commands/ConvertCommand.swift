import ArgumentParser
import Captures
import Sessions
import Sketches

struct ConvertCommand: ParsableCommand, SelectsDevice, ReadsRecording {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Turn other tools' recordings into traces, traces into waveforms.",
    discussion: """
      Reads captures by logic analysers (sigrok, VCD, Saleae, DSView) and logs of the serial line \
      (socat, strace, USB captures and others). What was found and assumed is reported on standard \
      error. Every command that takes a trace also takes a recording, and the options that say \
      how to read it. If the kind, the channels or the ports of a recording are ambiguous, the \
      error names the choices.

      With --to, the file can also be a trace. Its session becomes the levels of four wires: RX, \
      TX, SERVO and TONE. A VCD file also contains the bytes and their fates, the state of the \
      sketch, the angle, the tone and the number of waiting bytes. The model adds what the trace \
      does not contain; with --device, all outputs are those of the device.
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The recording; - is standard input, last the last session. Several files if the tool writes \
      one for each channel.
      """, valueName: "files"), completion: .file())
  var recordings: [String]

  @OptionGroup(title: HelpGroup.output) var waveforms: WaveformOptions

  @OptionGroup(title: HelpGroup.recording) var facts: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.recording) var end: RecordingEndOption

  @Option(
    parsing: .unconditional,
    help: """
      The time zone of a log's dates, for the trace's date only: for example Europe/Berlin, UTC or \
      +02:00.
      """,
    transform: TimeZoneArgument.init)
  var timezone: TimeZoneArgument?

  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions

  @Flag(help: "Only print the recording's kind, channels and speeds.")
  var list = false

  @Flag(help: "With --list, print one JSON object.")
  var json = false

  @Option(name: .shortAndLong, help: "The output file; - is standard output.", completion: .file())
  var output = "-"

  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try deviceOptions.check()
    let format = waveforms.format
    try UsageRule.check(
      UsageRule("--json", json, requires: "--list", list),
      UsageRule("--list", list, excludes: "--output", output != "-"),
      UsageRule(
        brokenIf: recordings.count > 1 && recordings.contains("-"),
        "Standard input cannot be combined with other files."),
      UsageRule(
        "--allow-long and the options of a device", deviceOptions.isGiven || length.allowLong,
        requires: "--to with a waveform format", format),
      UsageRule("--list", list, excludes: "--to", format),
      UsageRule(
        "--timezone", timezone, excludes: "--to", format, because: "waveforms have no date"))
  }

  func run() throws {
    let recordings = try recordings.map { (path) throws(Failure) in try TraceArgument.path(path) }
    try Outputs.spare(recordings)
    var options = try recordingOptions()
    options.firmware = deviceOptions.firmware
    if let format = waveforms.format {
      options.isRateForOutput = true
      return try WaveformRun.run(
        recordings, options, as: format, rate: facts.samplerate ?? .standard,
        isRecorded: !deviceOptions.isGiven, on: deviceOptions.choice(), limit: length.limit,
        output: output, talk.verbosity)
    }
    options.isListing = list
    let capture = try OpenedCapture(recordings, options, zone: timezone?.zone)
    if facts.samplerate != nil, !capture.usesGivenRate {
      throw ValidationError(
        "--samplerate requires --to with a waveform format, or a recording that is a table with "
          + "neither times nor a rate.")
    }
    if list {
      try capture.list(asJSON: json, talk.verbosity)
    } else {
      try capture.convert(to: output, talk.verbosity)
    }
  }
}

/// Options for waveforms as the output.
struct WaveformOptions: ParsableArguments {
  /// What `--to` accepts: a trace, or a format of waveforms.
  enum Target: String, CaseIterable, ExpressibleByArgument {
    case trace, vcd, sr, csv, saleae
  }

  @Option(
    help: ArgumentHelp(
      """
      The format of the output: trace, vcd, sr, csv or saleae. The format vcd is for GTKWave and \
      simulators; sr, a sigrok session, for PulseView; csv is sigrok's CSV; saleae, the digital \
      CSV of Logic 2.
      """, valueName: "trace|vcd|sr|csv|saleae"))
  var to = Target.trace

  /// The format; nil for a trace.
  var format: WaveformFormat? { WaveformFormat(rawValue: to.rawValue) }
}

extension SampleRate {
  /// Parses the value of an option.
  init(argument text: String) throws {
    guard let rate = SampleRate(text) else {
      throw ValidationError(
        "requires a frequency from 1 kHz to 1 GHz, such as 1MHz or 500kHz; found \"\(text)\".")
    }
    self = rate
  }
}

/// A time zone on the command line.
struct TimeZoneArgument {
  var zone: RecordedZone

  init(_ argument: String) throws {
    guard let zone = RecordedZone(argument) else {
      throw ValidationError(
        "\"\(argument)\" is not a time zone of this computer: Europe/Berlin, UTC or +02:00.")
    }
    self.zone = zone
  }
}
