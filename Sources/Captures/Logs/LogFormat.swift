import Traces
import Turret

/// What is the same for all logs of one kind.
struct LogFormat {
  /// How the tool stamps its records.
  enum Clock: Hashable {
    /// Time since the epoch in UTC, or since another fixed instant. It cannot jump.
    case absolute(isEpoch: Bool)
    /// Date and time of day where the log was recorded. Summer time changes it.
    case local
    /// The time of day, without a date.
    case timeOfDay
    /// A count that starts again at 0 after this many nanoseconds.
    case wrapping(Int64)
  }

  /// What the log's ports are.
  enum Ports: Hashable {
    /// Whole ports: each has both directions, and a session is on one of them.
    case ports
    /// The two sides of one line, whose names indicate the directions.
    case sides
  }

  var kind: CaptureKind
  /// The tool's name, for the trace's header.
  var source: String
  var clock: Clock
  var ports = Ports.ports
  /// Whether a logic analyser stamped the bytes: each at its start bit, on a clock without jitter.
  var isAnalyzer = false
  /// Whether the trace starts at the log's own zero, rather than at the first record.
  var keepsZero = false
  /// The name of what `--port` selects, for a message.
  var portNoun = "port"
  /// Whether a terminal's escape sequences are no part of the log. They can be the bytes' own text.
  var canHaveColors = true
  /// How far a clock can step back between two records without having been set, in nanoseconds.
  var slack: Int64 = 0
}
