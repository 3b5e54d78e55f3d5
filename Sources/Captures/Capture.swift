package import Traces
import Turret

/// A recording by another tool, examined and ready to be converted.
///
/// The examination reads the recording once: it finds the kind, the channels or ports, the speeds
/// and the length. The conversion reads it again, so memory does not grow with its length.
package struct Capture {
  /// The header of the trace. It has `start: "unknown"`, `duration`, `source` and, if the recording
  /// contains them, `recorded`, `resolution` and `uncertainty`.
  package let header: Header
  package let summary: CaptureSummary
  private let events: ((Event) throws(CaptureError) -> Void) throws(CaptureError) -> Void

  init(
    header: Header, summary: CaptureSummary,
    events: @escaping ((Event) throws(CaptureError) -> Void) throws(CaptureError) -> Void
  ) {
    var header = header
    if summary.answersAsGuarded { header.set(firmware: .guarded) }
    self.header = header
    self.summary = summary
    self.events = events
  }

  /// Passes the session's events to `take`, in order of time.
  package func read(_ take: (Event) throws(CaptureError) -> Void) throws(CaptureError) {
    try events(take)
  }
}
