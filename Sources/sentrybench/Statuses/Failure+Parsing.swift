import ArgumentParser
import Sessions

extension Failure {
  /// What the parser of the command line says.
  init(parsing error: any Error) {
    let message = SentryBench.message(for: error)
    self.init(ExitStatus(rawValue: SentryBench.exitCode(for: error).rawValue), message)
    // Only the message can contain what was typed; the lines after it are the program's own.
    let beginning = "Error: \(message)"
    let all = SentryBench.fullMessage(for: error)
    if all.hasPrefix(beginning) {
      usage = String(all.dropFirst(beginning.count))
      if !Console.isJSON { self.message = beginning }
    }
  }
}
