import ArgumentParser
import Engine
import Logging
import Platform
import Sessions
import Traces

extension Failure {
  /// Prints the message and ends the process with the failure's status.
  func exit() -> Never {
    var worst = self
    // Output from before the failure still has to be written, which can fail too. If it was this
    // output that failed, nothing is left of it.
    if status != .closedPipe {
      do {
        try Console.flush()
      } catch {
        worst = error
      }
    }
    if worst.status != .closedPipe {
      for failure in worst.message == message ? [self] : [self, worst] {
        if !failure.message.isEmpty { failure.report() }
      }
    }
    Console.drain()
    Signals.removeTemporaries()
    TerminalScreen.restoreInHandler()
    endProcess(worst.status.rawValue)
  }

  private func report() {
    guard !usage.isEmpty, !Console.isJSON else { return Console.report(message, .error) }
    Console.report(text: PlainText.line(message) + usage, .error)
  }
}

private func endProcess(_ status: Int32) -> Never { exit(status) }

extension Failure {
  /// Converts an error of the argument parser. `hint`, unless it is nil, replaces its message.
  init(parsing error: any Error, hint: String?) {
    // The parser lists many values one a line, and a message is a line.
    let parsed = SentryBench.message(for: error)
    let message = parsed.replacing(":\n  - ", with: ": ").replacing("\n  - ", with: ", ")
    self.init(ExitStatus(rawValue: SentryBench.exitCode(for: error).rawValue), message)
    // Only the message can contain user input; the lines after it are the program's own.
    let beginning = "\(SentryBench._errorPrefix)\(parsed)"
    let all = SentryBench.fullMessage(for: error)
    if all.hasPrefix(beginning) {
      usage = String(all.dropFirst(beginning.count))
      if !Console.isJSON { self.message = "\(SentryBench._errorPrefix)\(message)" }
    }
    if let hint { self.message = Console.isJSON ? hint : "\(SentryBench._errorPrefix)\(hint)" }
  }
}
