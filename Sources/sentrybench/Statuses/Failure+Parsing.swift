import ArgumentParser
import Engine
import Sessions

extension Failure {
  /// Converts an error of the argument parser. `hint`, unless it is nil, replaces its message.
  init(parsing error: any Error, hint: String?) {
    let message = SentryBench.message(for: error)
    self.init(ExitStatus(rawValue: SentryBench.exitCode(for: error).rawValue), message)
    // Only the message can contain user input; the lines after it are the program's own.
    let beginning = "\(SentryBench._errorPrefix)\(message)"
    let all = SentryBench.fullMessage(for: error)
    if all.hasPrefix(beginning) {
      usage = String(all.dropFirst(beginning.count))
      if !Console.isJSON { self.message = beginning }
    }
    if let hint { self.message = Console.isJSON ? hint : "\(SentryBench._errorPrefix)\(hint)" }
  }
}
