import Logging
import Synchronization

/// Keeps the messages that are logged.
final class LogCatcher: Sendable {
  private let kept = Mutex<[String]>([])

  /// `level: message`, in order.
  var lines: [String] { kept.withLock(\.self) }

  var logger: Logger { Logger(label: "follow") { _ in Handler(catcher: self) } }

  private struct Handler: LogHandler {
    let catcher: LogCatcher
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      catcher.kept.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
