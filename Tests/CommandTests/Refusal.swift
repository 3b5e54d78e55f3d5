import ArgumentParser

@testable import sentrybench

/// What the program answers to a command line that its parser refuses, without a process.
/// ExitStatusTests checks with a few refused lines that the program prints the message and ends with
/// the status.
struct Refusal: Equatable {
  var status: Int32
  var message: String

  /// Nil if the parser accepts the line. What a command refuses when it runs is accepted here.
  init?(of arguments: [String]) {
    do {
      _ = try SentryBench.parseAsRoot(arguments)
      return nil
    } catch {
      status = SentryBench.exitCode(for: error).rawValue
      message = SentryBench.message(for: error)
    }
  }
}
