package import Logging
import SystemPackage

/// The bench's log, on standard error.
package struct BenchLog: Sendable {
  package let format: LogFormat
  package let writer: LogWriter
  package let logger: Logger

  package init(_ format: LogFormat, level: Logger.Level) {
    self.format = format
    let writer = LogWriter(to: .standardError) { missing in
      LogEntry(
        time: .now, level: .warning,
        message: "Log lines are missing here: they were not read in time.",
        metadata: ["missing": .stringConvertible(missing)]
      ).line(format)
    }
    self.writer = writer
    logger = Logger(label: "sentrybench") { _ in
      BenchLogHandler(format, level: level) { writer.write($0) }
    }
  }

  /// Writes a message even if its level is below that of the logger.
  package func put(_ message: String, _ level: Logger.Level) {
    writer.write(LogEntry(time: .now, level: level, message: message).line(format))
  }
}
