import ArgumentParser
import Sessions
import Sketches

/// The command that `run` and `record` start.
struct SenderArgument: ParsableArguments {
  @Argument(
    parsing: .postTerminator,
    help: "After --: a sender to run against the bench, with the port in SENTRY_PORT.")
  var command: [String] = []

  func validate() throws {
    // An empty variable in a script would otherwise start a session that never ends.
    try UsageRule.check(
      UsageRule(
        brokenIf: command.isEmpty && CommandLine.arguments.last == "--",
        "-- requires a command after it."))
  }
}

/// The option for the length of a live session.
struct DurationOptions: ParsableArguments {
  @Option(
    name: .customLong("for"), help: "End after this time, for example 10s.",
    transform: Interval.argument)
  var length: Interval?

  func validate() throws {
    try UsageRule.check(UsageRule("--for", length, atLeast: "1ms"))
  }

  /// When the session ends without any other cause, in whole microseconds.
  var end: Instant? {
    length.map { .zero + .microseconds($0.nanoseconds / 1_000) }
  }
}

/// The option for the speed of a live session.
struct SpeedOptions: ParsableArguments {
  @Option(
    help: """
      The board's speed in bits a second. Default: that of the trace or of the profile, if one is \
      given, or of the program on avr:FILE, or 9600.
      """, completion: UsualValues.speeds)
  var baud: Int?

  func validate() throws {
    try UsageRule.check(UsageRule("--baud", baud: baud))
  }
}

/// The option for the place of the pty.
struct LinkOptions: ParsableArguments {
  @Option(
    help: """
      The symbolic link to the pty. Default: ttySentry in $XDG_RUNTIME_DIR, or in the temporary \
      folder, or ttySentry2 and so on while other benches run; with a command after --, in a new \
      folder there. An existing link is replaced only if a bench left it behind.
      """, completion: .file())
  var pty: String?
}
