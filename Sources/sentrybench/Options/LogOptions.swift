import ArgumentParser
import Log
import Logging
import Sessions

extension LogFormat: ExpressibleByArgument {}

/// Options for the log of a bench with a network.
struct LogOptions: ParsableArguments {
  @Option(help: "The format of messages on standard error: text, or json for one object per line.")
  var log = LogFormat.text

  /// Creates the log. A JSON log receives every message from now on.
  func makeLog(_ talk: TalkOptions) -> BenchLog {
    let log = BenchLog(log, level: Logger.Level(isQuiet: talk.quiet, isVerbose: talk.verbose))
    Console.sendMessages(through: log)
    return log
  }

  /// Whether the arguments request JSON, even if they cannot be parsed.
  static func asksForJSON(_ arguments: [String]) -> Bool {
    let own = arguments.prefix { $0 != "--" }
    return own.contains("--log=json")
      || zip(own, own.dropFirst()).contains { $0 == "--log" && $1 == "json" }
  }
}
