import ArgumentParser
import Captures
import Sessions
import Sketches

struct ReplayCommand: ParsableCommand, SelectsDevice {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Feed one trace to a device and print the trace that results.",
    discussion: """
      Inputs, marks and x- events are copied; the outputs are those of the device. With --send \
      there is no trace, and the bytes are sent at 1.5 s. The outputs of --until and --from-state \
      together equal the output of one replay of the same trace. A session of more than a day is \
      refused unless --until, --summary or --allow-long is given.
      """)

  @Argument(help: "\(TraceArgument.help)", completion: .file())
  var trace: String?

  @OptionGroup(title: HelpGroup.session) var sending: SendingOptions
  @OptionGroup(title: HelpGroup.session) var states: StateOptions
  @OptionGroup(title: HelpGroup.session) var length: LengthOptions
  @OptionGroup(title: HelpGroup.session) var faults: FaultOptions
  @OptionGroup(title: HelpGroup.device) var selection: DeviceChoiceOptions
  @OptionGroup(title: HelpGroup.device) var board: BoardOptions
  @OptionGroup(title: HelpGroup.chip) var chip: AVROptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions
  @OptionGroup(title: HelpGroup.recording) var capture: CaptureOptionGroup
  @OptionGroup(title: HelpGroup.recording) var kind: RecordingKindOption
  @OptionGroup(title: HelpGroup.recording) var start: RecordingStartOption
  @OptionGroup(title: HelpGroup.output) var results: ReplayOutputOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  func validate() throws {
    try deviceOptions.check()
    var others = try capture.options(from: kind, since: start)
    (others.baud, others.senderBaud) = (CaptureOptions().baud, nil)
    let (send, from) = (sending.send, states.fromState)
    try UsageRule.check(
      UsageRule(brokenIf: trace == nil && send == nil, "Give a trace, or bytes with --send."),
      UsageRule(brokenIf: trace != nil && send != nil, "Give a trace or --send, not both."),
      UsageRule("--for", sending.length, requires: "--send", send),
      UsageRule(
        brokenIf: send != nil && others.areGiven,
        "With --send there is no recording: of its options, only --baud and --sender-baud have a "
          + "meaning."),
      UsageRule(
        "--save-state and --from-state", states.isGiven, requires: "a device in virtual time",
        !deviceOptions.isBoard,
        because: "the state of a board can be neither read nor restored"),
      UsageRule(
        brokenIf: states.saveState != nil && states.saveState == results.output,
        "The state and the trace require two different files."),
      UsageRule("--from-state", from, requires: "a trace, not --send", send == nil),
      UsageRule(
        "--servo", results.servo, excludes: "--from-state", from,
        because: "a state contains no shaft"),
      UsageRule(
        "--timing", deviceOptions.selection.timing, excludes: "--from-state", from,
        because: "a state has its own timing"),
      UsageRule(
        brokenIf: from == "-" && trace == "-",
        "The state and the trace cannot both be read from standard input."))
    try faults.check()
    try UsageRule.check(
      UsageRule("--fault", faults.areGiven, excludes: "--summary", results.summary),
      UsageRule(
        "--fault", faults.areGiven, excludes: "--save-state and --from-state", states.isGiven,
        because: "a state contains no faults"),
      UsageRule("--servo", results.servo, excludes: "--summary", results.summary),
      UsageRule("--stack-margin", results.stackMargin, in: 0...2_048),
      UsageRule(
        "--stack and --stack-margin", results.stack || results.stackMargin != nil,
        requires: "the emulated chip (--device avr:FILE)", deviceOptions.chipPath))
  }

  func run() throws {
    let input: ReplayRun.Input =
      if let trace {
        .trace(try TraceArgument.path(trace))
      } else {
        .bytes(
          sending.send?.bytes ?? [], length: sending.length ?? .seconds(5),
          baud: capture.baud)
      }
    let profile = try profileOptions.read()
    var run = ReplayRun(input, on: try deviceOptions.choice(profile), output: results.output)
    run.servo = results.servo
    run.showsPulses = results.pulses
    run.printsSummary = results.summary
    run.showsStack = results.stack
    run.stackMargin = results.stackMargin
    run.states = states.states
    run.limit = length.limit
    run.recording = try capture.options(from: kind, since: start, profile: profile)
    run.verbosity = talk.verbosity
    run.faults = faults.plan
    faults.printSeed(talk)
    try run.run()
  }
}

/// Options of `replay` for bytes instead of a trace.
struct SendingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Bytes to send at 1.5 s instead of a trace. \(BytesArgument.help).", valueName: "bytes"),
    transform: BytesArgument.init)
  var send: BytesArgument?

  @Option(
    name: .customLong("for"), help: "The length of a session with --send. Default: 5s.",
    transform: Interval.argument)
  var length: Interval?
}

/// Options of `replay` for what it writes.
struct ReplayOutputOptions: ParsableArguments {
  @Option(
    help: "The virtual servo whose shaft is added as x-shaft events: sg90, mg90s or mg996r.")
  var servo: ServoData?

  @Flag(
    help:
      "Also write the 50 pulse events a second. By default they are written if the trace has any.")
  var pulses = false

  @Flag(help: "Print only one JSON object that sums up the session.")
  var summary = false

  @Flag(
    help: """
      Record the run of the emulated chip, and report how deep the program's stack was, what stood \
      on it, and how much was free below it: in the object of --summary, or as a note.
      """)
  var stack = false

  @Option(
    help: ArgumentHelp(
      """
      Fail if fewer bytes than these were free between the stack and what is below it: the heap, \
      or the variables. Requires an .elf on the emulated chip.
      """, valueName: "bytes"))
  var stackMargin: Int?

  @Option(name: .shortAndLong, help: "The output file; - is standard output.", completion: .file())
  var output = "-"
}

/// Options for the start and the end of a replay, if they are not the trace's.
struct StateOptions: ParsableArguments {
  @Option(
    help: "End the replay at this time of the session, for example 2.5s.",
    transform: Interval.argument)
  var until: Interval?

  @Option(
    help: """
      Write the state of the device at that time to this file, for --from-state. Requires --until.
      """, completion: .file())
  var saveState: String?

  @Option(
    help: """
      Continue from a state written by --save-state. Events of the trace up to that time are \
      skipped, since the state contains their effects. Times remain those of the session; the \
      header contains "from".
      """, completion: .file())
  var fromState: String?

  func validate() throws {
    try UsageRule.check(
      UsageRule("--save-state", saveState, requires: "--until, which gives the time", until),
      UsageRule(
        "--until", until, requires: "whole microseconds, the resolution of outputs",
        until.map { $0.nanoseconds % 1_000 == 0 } ?? true))
  }

  var isGiven: Bool { saveState != nil || fromState != nil }

  var states: ReplayStates {
    ReplayStates(end: until.map { .zero + $0 }, from: fromState, to: saveState)
  }
}

/// Bytes on the command line: text in UTF-8, in which `\n`, `\r`, `\t`, `\\` and `\xFF` stand for
/// one byte each.
struct BytesArgument {
  static let help = "\\n, \\r, \\t, \\\\ and \\xFF stand for one byte each"

  var bytes: [UInt8]

  /// In an argument of this process, every byte that is not part of a character in UTF-8 has become
  /// U+FFFD.
  init(_ argument: String) throws {
    if argument.unicodeScalars.contains("\u{FFFD}"), !Self.isCommandLineText {
      throw ValidationError(
        "The bytes are not text in UTF-8. Write other bytes as \\xFF: two hexadecimal digits.")
    }
    let text = Array(argument.utf8)
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        bytes.append(text[index])
        index += 1
        continue
      }
      let (byte, length) = try Self.escaped(text[(index + 1)...])
      bytes.append(byte)
      index += 1 + length
    }
    self.bytes = bytes
  }

  /// Whether all arguments of this process are text in UTF-8.
  private static var isCommandLineText: Bool {
    (0..<Int(CommandLine.argc)).allSatisfy { index in
      CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
    }
  }

  /// Returns the byte that the characters after a backslash stand for, and how many those are.
  private static func escaped(_ text: ArraySlice<UInt8>) throws -> (UInt8, length: Int) {
    switch text.first {
    case UInt8(ascii: "n")?: return (0x0A, 1)
    case UInt8(ascii: "r")?: return (0x0D, 1)
    case UInt8(ascii: "t")?: return (0x09, 1)
    case UInt8(ascii: "\\")?: return (UInt8(ascii: "\\"), 1)
    case UInt8(ascii: "x")?:
      let digits = text.dropFirst().prefix(2)
      if digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != 0x2D }),
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        return (byte, 3)
      }
    default: break
    }
    throw ValidationError(
      "A backslash begins \\n, \\r, \\t, \\\\ or \\xFF with two hexadecimal digits; "
        + "write \\\\ for the byte itself.")
  }
}
