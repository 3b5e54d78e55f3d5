package import Logging

/// How the log is written.
package enum LogFormat: String, Hashable, Sendable, CaseIterable {
  /// For people: `sentrybench: MESSAGE key=value`.
  case text
  /// For programs: one JSON object a line.
  case json
}

extension Logger.Level {
  /// What `-q` and `-v` ask for.
  package init(isQuiet: Bool, isVerbose: Bool) {
    self = isQuiet ? .warning : isVerbose ? .debug : .info
  }
}
