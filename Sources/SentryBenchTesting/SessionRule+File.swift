import Judging
public import SentryBenchModels
import Sketches

extension SessionRule {
  /// The session agrees with the trace in this file, as with `sentrybench run --expect`.
  ///
  /// - Parameters:
  ///   - path: relative to the folder in which the tests run.
  ///   - tolerance: how early or late an output can be; nil for the default.
  ///   - gaps: how far the sender's gaps can differ from the trace's; nil for any.
  public static func matches(
    _ path: String, tolerance: Duration? = nil, gaps: Duration? = nil
  ) -> SessionRule {
    SessionRule {
      .golden(
        Golden(
          path: path, tolerance: try tolerance.map { try Interval($0) },
          gaps: try gaps.map { try Interval($0) }))
    }
  }
}
