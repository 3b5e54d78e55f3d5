import ArgumentParser
import Sessions

/// Options of `run` for what happens during the session.
struct ControlOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Stop the command after -- if it takes longer than this, for example 10s; 0 for no limit. \
      Default: 60s with --expect, --rules, --strict or --junit, unless --for is given; otherwise \
      none.
      """, valueName: "time"), transform: TimeoutArgument.init)
  var timeout: TimeoutArgument?

  @Option(
    help: ArgumentHelp(
      """
      Apply the levels and voltages that are written to this FIFO, one per line, to the pins of \
      the emulated board: ["set", "D2", 1] or ["analog", "A0", 2.5].
      """, valueName: "fifo"), completion: .file())
  var inputs: String?

  @Option(help: "The virtual servo whose shaft the view shows: sg90 or mg996r. Default: sg90.")
  var servo: ServoArgument?
}

/// Options of `run` for the restart of the board when a sender opens the port.
struct OpeningOptions: ParsableArguments {
  @Flag(help: "Restart the board when a sender opens the port, as an Uno does.")
  var resetOnOpen = false

  @Option(
    help: "How long the bootloader then uses the line, for example 500ms. Default: 1s.",
    transform: TimeArgument.init)
  var deadTime: TimeArgument?

  func validate() throws {
    if deadTime != nil && !resetOnOpen {
      throw ValidationError("--dead-time requires --reset-on-open.")
    }
  }
}

/// Options of `run` for the addresses at which a session can be reached.
struct ServingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Also accept senders over WebSocket on this address. Can be given more than once. A command \
      after -- reads it from SENTRY_WEBSOCKET.
      """, valueName: "host:port"))
  var websocket: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Show the session in a browser at this address, for example 127.0.0.1:12354; port 0 is any \
      free one. The dashboard can also move the turret, and senders can connect there over \
      WebSocket.
      """, valueName: "host:port"))
  var http: String?
}

/// Options of `run` for a trace that judges the session.
struct JudgingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Judge the session by this trace.", valueName: "trace"), completion: .file())
  var expect: [String] = []

  @Option(
    help: """
      The allowed error of the time from a cause to its output, for example 5ms. Default: 20ms.
      """,
    transform: TimeArgument.init)
  var tolerance: TimeArgument?

  @Option(
    help: ArgumentHelp(
      """
      Also judge the sender's gaps: by how much the time between two of its bytes or commands can \
      differ from the trace's, for example 50ms. By default the largest difference is only reported.
      """, valueName: "time"), transform: TimeArgument.init)
  var gaps: TimeArgument?

  func validate() throws {
    if expect.count > 1 {
      throw ValidationError(
        "--expect can be given once: a session is judged by one trace. Run the bench once for each."
      )
    }
    if expect.isEmpty && (tolerance != nil || gaps != nil) {
      throw ValidationError("--tolerance and --gaps require --expect.")
    }
  }
}

/// Options of `run` for what it writes.
struct LiveOutputOptions: ParsableArguments {
  @Option(
    help: """
      Write the session to this file, line by line. With a command after --, the file is named \
      NAME.failed.jsonl instead of NAME.jsonl until the command has succeeded.
      """, completion: .file())
  var record: String?

  @Flag(help: "Let the recording replace NAME.jsonl even if the command after -- fails.")
  var keep = false

  @Option(
    help: """
      Write a JUnit report of the verdict, and of how the command after -- ended, to this file.
      """, completion: .file())
  var junit: String?

  @Flag(help: "Print the verdict as a JSON object instead of the trace.")
  var json = false

  @Flag(help: "Also write the 50 pulse events a second.")
  var pulses = false

  func validate() throws {
    if record == "-" {
      throw ValidationError(
        "--record requires a file; the trace is printed on standard output anyway.")
    }
    if junit == "-" { throw ValidationError("--junit requires a file.") }
  }
}
