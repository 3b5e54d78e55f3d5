package import Logging

/// The format of the log.
package enum LogFormat: String, Hashable, Sendable, CaseIterable {
  /// For people: `sentrybench: MESSAGE key=value`.
  case text
  /// For programs: one JSON object per line.
  case json
}

extension Logger.Level {
  /// The level that `-q` and `-v` select.
  package init(isQuiet: Bool, isVerbose: Bool) {
    self = isQuiet ? .warning : isVerbose ? .debug : .info
  }
}
