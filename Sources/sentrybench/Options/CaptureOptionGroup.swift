import ArgumentParser
import Captures
import Engine
import Sessions
import Sketches
import Traces

/// Options that say how to read another tool's recording: facts that it does not contain.
struct CaptureOptionGroup: ParsableArguments {
  @Option(
    help: """
      The board's speed in bits a second. Default: 9600; with --send, that of the board's program, \
      if it is known.
      """, completion: UsualValues.speeds)
  var baud: Int?

  @Option(
    help: """
      The sender's speed in bits a second, if it differs from the board's: its bytes then follow a \
      baud event.
      """)
  var senderBaud: Int?

  @Option(
    help: """
      The channel of the bytes to the board: its name, its index from 0, or an analyser's name. \
      Default: by name (rx, D0), otherwise the only one that can be decoded.
      """)
  var rxChannel: String?

  @Option(help: "The channel of the bytes from the board. Default: by name (tx, D1), as above.")
  var txChannel: String?

  @Option(help: "The channel of the servo's pulses. Default: by name (servo, D9).")
  var servoChannel: String?

  @Option(
    help: """
      Lines that idle low: rx, tx or both. By default a line that is low for 10 bits before and \
      after the bytes is inverted.
      """)
  var invert: CaptureOptions.Inversion?

  @Option(
    help: """
      The directions in a log: forward, as the tool names them, or reverse.
      """)
  var direction: CaptureOptions.Direction?

  @Option(
    help: ArgumentHelp(
      """
      The port, if there are several in the recording: a file descriptor (strace), a device of a \
      USB bus, a COM port, or a process (an iPhone's app).
      """, valueName: "FD|BUS:DEV|COMn|NAME"))
  var port: String?

  @Option(
    help: ArgumentHelp(
      "The sample rate of a recording that is a table with neither times nor a rate.",
      valueName: "rate"),
    transform: SampleRate.init(argument:))
  var samplerate: SampleRate?

  @Flag(
    help: """
      Accept a recording with gaps: truncated data or missing times. Otherwise it is an error that \
      states what is missing.
      """)
  var lossy = false

  func validate() throws {
    try UsageRule.check(
      UsageRule("--baud", baud: baud), UsageRule("--sender-baud", baud: senderBaud))
  }

  /// The options as values. `from`, `since` and `until` are those of the groups below, as far as
  /// the command has them. `profile` states the board's speed if no option does. `isJudged`: the
  /// command says what is wrong with a recording, also that it has no bytes. `sketchOption` is the
  /// option that names the board's sketch.
  func options(
    from: RecordingKindOption? = nil, since: RecordingStartOption? = nil,
    until: RecordingEndOption? = nil, isJudged: Bool = false, sketchOption: String = "--firmware",
    profile: ProfileChoice? = nil
  ) throws -> CaptureOptions {
    var options = CaptureOptions()
    options.acceptsNoByte = isJudged
    options.sketchOption = sketchOption
    options.kind = from?.from
    options.namesKind = from != nil
    options.baud = baud ?? options.baud
    if baud == nil, let profileBaud = profile?.ownProfile?.baud {
      options.baud = profileBaud
      options.hasProfileBaud = true
    }
    options.senderBaud = senderBaud
    options.rxChannel = rxChannel
    options.txChannel = txChannel
    options.servoChannel = servoChannel
    options.inversion = invert
    options.direction = direction
    options.port = port
    options.sampleRate = samplerate?.hertz
    options.since = since?.since
    options.until = until?.until
    options.isLossy = lossy
    if let since = options.since, let until = options.until, until <= since {
      throw ValidationError(
        "--until must be later than --since: it is \(String(readable: until)), and --since is "
          + "\(String(readable: since)).")
    }
    return options
  }
}

/// The kind of a recording, in a command whose `--from` has no other meaning.
struct RecordingKindOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The kind of the recording. Default: recognized from its content, whatever its name.
      """, valueName: "kind"))
  var from: CaptureKind?
}

/// The part of a recording from a time on, in a command whose `--since` has no other meaning.
struct RecordingStartOption: ParsableArguments {
  @Option(
    help: "Read the recording from this time on, for example 1.5s.",
    transform: Interval.argument)
  var since: Interval?
}

/// The part of a recording up to a time, in a command whose `--until` has no other meaning.
struct RecordingEndOption: ParsableArguments {
  @Option(
    help: "Read the recording up to this time, for example 2.5s.",
    transform: Interval.argument)
  var until: Interval?
}

/// Arguments with all of these options, because no other option has one of their names.
protocol ReadsRecording: ParsableArguments {
  var facts: CaptureOptionGroup { get }
  var kind: RecordingKindOption { get }
  var start: RecordingStartOption { get }
  var end: RecordingEndOption { get }
}

extension ReadsRecording {
  func recordingOptions(
    isJudged: Bool = false, sketchOption: String = "--firmware", profile: ProfileChoice? = nil
  ) throws -> CaptureOptions {
    try facts.options(
      from: kind, since: start, until: end, isJudged: isJudged, sketchOption: sketchOption,
      profile: profile)
  }
}
