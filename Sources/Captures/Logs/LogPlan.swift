import Turret

/// What the first pass over a log decides for the second.
struct LogPlan {
  let trace: CaptureTrace
  let roles: LogRoles
  /// The trace's zero on the log's clock, in nanoseconds.
  let zero: Int64
  /// Whether the records have no times, and are laid back to back.
  let isUntimed: Bool
  let isAnalyzer: Bool
  let byteLengths: ByteLengths
}
