import ArgumentParser
import Sessions

/// The option for a page about what a command judged.
struct ReportOptions: ParsableArguments {
  @Option(
    help: """
      Write an HTML report about the sessions to this file: their verdicts, pictures, commands and \
      bytes, as the command report does for one session.
      """, completion: .file())
  var report: String?

  /// Refuses a trace on standard input, and a report on standard output.
  func check(paths: [String] = []) throws {
    guard let report else { return }
    if report == "-" { throw ValidationError("--report requires a file.") }
    if paths.contains("-") {
      throw ValidationError(
        "--report requires a trace in a file: standard input cannot be read twice.")
    }
  }

  func open() throws(Failure) -> ReportFile? {
    try report.map { (path) throws(Failure) in try ReportFile(path, by: SentryBench.program) }
  }
}
