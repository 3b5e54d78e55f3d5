package import Logging
import Sketches
import Traces

/// One message of the log, and its line in either format. A message can contain text from a client.
/// It always results in one line, and nothing in it moves the cursor or reverses the direction of
/// text.
package struct LogEntry: Sendable {
  /// The format of the log.
  package enum Format: String, Hashable, Sendable, CaseIterable {
    /// For people: `sentrybench: MESSAGE key=value`.
    case text
    /// For programs: one JSON object per line.
    case json
  }

  package var time: WallTime
  package var level: Logger.Level
  package var message: String
  package var metadata: Logger.Metadata

  package init(
    time: WallTime, level: Logger.Level, message: String, metadata: Logger.Metadata = [:]
  ) {
    self.time = time
    self.level = level
    self.message = message
    self.metadata = metadata
  }

  package func line(_ format: Format) -> [UInt8] {
    switch format {
    case .text: Array((text + "\n").utf8)
    case .json: Array((json + "\n").utf8)
    }
  }

  private var sorted: [(key: String, value: Logger.MetadataValue)] {
    metadata.sorted { $0.key < $1.key }
  }

  // MARK: For people

  private var text: String {
    // Errors begin as those of every command.
    let label =
      switch level {
      case .trace, .debug: "sentrybench: debug"
      case .info, .notice: "sentrybench"
      case .warning: "warning"
      case .error, .critical: "error"
      }
    var text = "\(label): \(PlainText.escaped(message))"
    for (key, value) in sorted {
      text += " \(Self.isPlain(key) ? key : Self.quoted(key))=\(Self.plain(value))"
    }
    return text
  }

  /// A value that is a single word, or is quoted.
  private static func plain(_ value: Logger.MetadataValue) -> String {
    switch value {
    case .dictionary, .array: return quoted(json(value).text)
    case .string, .stringConvertible:
      let text = value.description
      return isPlain(text) ? text : quoted(text)
    }
  }

  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"=\\".utf8.contains($0) }
  }

  private static func quoted(_ text: String) -> String { JSONValue.string(text).text }

  // MARK: For programs

  private static let ownKeys: Set = ["time", "level", "message"]

  private var json: String {
    var members: [JSONValue.Member] = [
      .init("time", .string(time.text)), .init("level", .string(level.rawValue)),
      .init("message", .string(message)),
    ]
    for (key, value) in sorted {
      // A key must not occur twice.
      members.append(.init(Self.ownKeys.contains(key) ? "_\(key)" : key, Self.json(value)))
    }
    return JSONValue.object(members).text
  }

  private static func json(_ value: Logger.MetadataValue) -> JSONValue {
    switch value {
    case .string(let text): .string(text)
    case .stringConvertible(let number as any BinaryInteger): .number("\(number)")
    case .stringConvertible(let client as ClientID): .number("\(client.number)")
    case .stringConvertible(let flag as Bool): .bool(flag)
    case .stringConvertible(let number as Double) where number.isFinite:
      .number(String(shortest: number))
    case .stringConvertible(let other): .string(other.description)
    case .array(let items): .array(items.map(json))
    case .dictionary(let members):
      .object(members.sorted { $0.key < $1.key }.map { .init($0.key, json($0.value)) })
    }
  }
}

extension Logger.Level {
  /// The level that `-q` and `-v` select.
  package init(isQuiet: Bool, isVerbose: Bool) {
    self = isQuiet ? .warning : isVerbose ? .debug : .info
  }
}

/// The time of day, for people. It is never used for measurements.
package struct WallTime: Hashable, Sendable {
  /// Since the beginning of 1970, in UTC, without leap seconds.
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  /// In RFC 3339, UTC, with microseconds: `2026-11-21T07:06:22.000123Z`.
  package var text: String { CivilTime.rfc3339(microseconds: microseconds) }

  /// In RFC 3339, UTC, to the second: `2026-11-21T07:06:22Z`.
  package var textInSeconds: String { text.prefix { $0 != "." } + "Z" }
}
