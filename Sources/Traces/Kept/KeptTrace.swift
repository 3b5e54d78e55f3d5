package import Turret

/// A live session that is kept in memory, for a page about it.
package struct KeptTrace {
  /// The longest text that is kept, in bytes: later events are left out.
  private static let lengthMax = 32 << 20

  private var header: Header
  private var events: [UInt8] = []
  /// When the first event was left out; nil if none was.
  private var cut: Instant?

  package init(_ header: Header) { self.header = header }

  package mutating func put(_ event: Event) {
    guard cut == nil else { return }
    if events.count >= Self.lengthMax {
      cut = event.time
      return
    }
    events.appendLine(event)
  }

  /// Returns the trace of a session that ended at `end`.
  package func text(endingAt end: Instant) -> [UInt8] {
    var header = header
    header.set(duration: min(end, cut ?? end).roundedUpToMicrosecond - .zero)
    var text: [UInt8] = []
    text.appendLine(header)
    return text + events
  }
}
