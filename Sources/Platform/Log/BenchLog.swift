package import Logging
import SystemPackage

/// The bench's log, on standard error.
package struct BenchLog: Sendable {
  package let format: LogEntry.Format
  package let writer: LogWriter
  package let logger: Logger

  package init(_ format: LogEntry.Format, level: Logger.Level) {
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

/// Passes every message to a sink, as one line of the log.
package struct BenchLogHandler: LogHandler {
  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  private let format: LogEntry.Format
  private let now: @Sendable () -> WallTime
  private let sink: @Sendable ([UInt8]) -> Void

  /// `sink` takes complete lines, from any thread.
  package init(
    _ format: LogEntry.Format, level: Logger.Level,
    now: @escaping @Sendable () -> WallTime = { .now }, sink: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.format = format
    logLevel = level
    self.now = now
    self.sink = sink
  }

  package subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var all = metadata
    if let error = event.error { all["error"] = .string("\(error)") }
    for more in [metadataProvider?.get(), event.metadata].compactMap({ $0 }) {
      all.merge(more) { $1 }
    }
    sink(
      LogEntry(time: now(), level: event.level, message: "\(event.message)", metadata: all)
        .line(format))
  }
}
