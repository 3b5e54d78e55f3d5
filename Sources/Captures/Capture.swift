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

/// A search for the answers to `?` of guarded: `090 hold ok=00012 no=00003 ...`.
struct GuardedAnswers: Hashable, Sendable {
  /// The last eight bytes, the latest one in the lowest bits.
  private var last: UInt64 = 0
  private(set) var areFound = false

  /// Takes the next byte from the board.
  mutating func take(_ byte: UInt8) {
    // `hold ok=` and `scan ok=`.
    if last == 0x686F_6C64_206F_6B3D || last == 0x7363_616E_206F_6B3D, byte.decimalDigit != nil {
      areFound = true
    }
    last = last << 8 | UInt64(byte)
  }
}
