import ArgumentParser
import Gateway
import Logging

extension LogFormat: ExpressibleByArgument {}

/// How a bench with a network speaks of what happens.
struct LogOptions: ParsableArguments {
  @Option(help: "The log on standard error: text, or json for a JSON object a line.")
  var log = LogFormat.text

  func makeLog(_ talk: TalkOptions) -> BenchLog {
    BenchLog(log, level: Logger.Level(isQuiet: talk.quiet, isVerbose: talk.verbose))
  }
}
