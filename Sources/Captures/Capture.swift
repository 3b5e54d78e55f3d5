package import Traces
import Turret

/// A recording by another tool, examined and ready to be converted.
///
/// The examination reads the recording once: it finds the kind, the channels or ports, the speeds
/// and the length. The conversion reads it again, so memory does not grow with its length.
package struct Capture {
  /// The header of the trace. It has `start: "unknown"`, `duration`, `source` and, if the recording
  /// contains them, `recorded`, `resolution` and `uncertainty`.
  package private(set) var header: Header
  package let summary: CaptureSummary
  /// Whether the board's answers show which sketch it is.
  private(set) var showsSketch = false
  private let events: ((Event) throws(CaptureError) -> Void) throws(CaptureError) -> Void

  init(
    header: Header, summary: CaptureSummary,
    events: @escaping ((Event) throws(CaptureError) -> Void) throws(CaptureError) -> Void
  ) {
    self.header = header
    self.summary = summary
    self.events = events
  }

  /// Passes the session's events to `take`, in order of time.
  package func read(_ take: (Event) throws(CaptureError) -> Void) throws(CaptureError) {
    try events(take)
  }

  /// The maximum number of events in which an answer is searched.
  private static let searchedMax = 1 << 16

  /// Sets the header's sketch to the one that the board's answers show, if any do.
  mutating func findSketch() throws(CaptureError) {
    var answers = GuardedAnswers()
    var count = 0
    do throws(CaptureError) {
      try read { (event) throws(CaptureError) in
        count += 1
        if case .output(.transmit(let byte)) = event.kind { answers.take(byte) }
        // The rest need not be read.
        if answers.areFound || count == Self.searchedMax { throw CaptureError(.usage, "") }
      }
    } catch {
      guard answers.areFound || count == Self.searchedMax else { throw error }
    }
    guard answers.areFound else { return }
    header.set(firmware: .guarded)
    showsSketch = true
  }
}

/// A search for the answers to `?` of guarded: `090 hold ok=00012 no=00003 ...`.
struct GuardedAnswers {
  private static let forms = ["hold ok=", "scan ok="].map { Array($0.utf8) }
  /// The last bytes, as many as a form has.
  private var last: [UInt8] = []
  private(set) var areFound = false

  /// Takes the next byte from the board.
  mutating func take(_ byte: UInt8) {
    if (0x30...0x39).contains(byte), Self.forms.contains(last) { areFound = true }
    if last.count == Self.forms[0].count { last.removeFirst() }
    last.append(byte)
  }
}
