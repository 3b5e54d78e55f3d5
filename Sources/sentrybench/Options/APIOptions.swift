import ArgumentParser

/// Options for a client that controls the session, such as a library in another language.
struct APIOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Take requests in JSON from a client on this Unix socket, which only its user can open; - is \
      standard input and output, and then no trace is printed. A command after -- reads it from \
      SENTRY_API. docs/api.md describes the requests.
      """, valueName: "socket"))
  var api: String?

  @Flag(
    help: """
      With --api: run in virtual time. There is no port, and time passes only when the client \
      requests it.
      """)
  var virtual = false

  /// Whether the client's messages use standard output.
  var usesStandardOutput: Bool { api == "-" }

  func check(_ run: RunCommand) throws {
    if api?.isEmpty == true { throw ValidationError("--api requires a path, or -.") }
    if usesStandardOutput && !run.live.command.isEmpty {
      throw ValidationError(
        "--api - cannot be combined with a command after --: both read standard input.")
    }
    if usesStandardOutput && run.output.json {
      throw ValidationError("--api - cannot be combined with --json: both use standard output.")
    }
    guard virtual else { return }
    if api == nil { throw ValidationError("--virtual requires --api.") }
    let others: [(name: String, isGiven: Bool)] = [
      ("--pty", run.live.link.pty != nil), ("--for", run.live.duration.length != nil),
      ("a command after --", !run.live.command.isEmpty), ("--expect", !run.judging.expect.isEmpty),
      ("--rules", run.ruleOptions.rules != nil), ("--strict", run.ruleOptions.strict),
      ("--rfc2217", run.remote.rfc2217 != nil), ("--junit", run.output.junit != nil),
      ("--report", run.page.report != nil), ("--inputs", run.control.inputs != nil),
      ("--reset-on-open", run.opening.resetOnOpen),
      ("--websocket", !run.serving.websocket.isEmpty),
      ("--tcp", !run.networkOptions.senders.tcp.isEmpty),
      ("--http", run.serving.http != nil),
    ]
    if let other = others.first(where: { $0.isGiven }) {
      throw ValidationError(
        "--virtual cannot be combined with \(other.name): the session has no port and no time of "
          + "its own.")
    }
    if run.deviceOptions.isBoard {
      throw ValidationError("--virtual requires a device in virtual time, not a board.")
    }
  }
}
