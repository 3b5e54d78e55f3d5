import ArgumentParser
import Log
import Logging
import Sessions

extension LogFormat: ExpressibleByArgument {}

/// How a bench with a network speaks of what happens.
struct LogOptions: ParsableArguments {
  @Option(help: "The form of messages on standard error: text, or json for one JSON object a line.")
  var log = LogFormat.text

  /// Makes the log. One in JSON takes every message from here on.
  func makeLog(_ talk: TalkOptions) -> BenchLog {
    let log = BenchLog(log, level: Logger.Level(isQuiet: talk.quiet, isVerbose: talk.verbose))
    Console.speak(through: log)
    return log
  }

  /// Whether a command line asks for JSON, even if it cannot be parsed.
  static func asksForJSON(_ arguments: [String]) -> Bool {
    let own = arguments.prefix { $0 != "--" }
    return own.contains("--log=json")
      || zip(own, own.dropFirst()).contains { $0 == "--log" && $1 == "json" }
  }
}
