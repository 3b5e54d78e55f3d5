import Sketches
import Traces

/// A session's events as lines of a trace, for a client. Only the latest are kept.
package struct APILog: Sendable {
  /// The maximum length of the kept text, in bytes.
  let textMax: Int

  private var text: [UInt8] = []
  /// Where each kept line begins in `text`.
  private var starts: [Int] = []
  /// The index of the first kept event, counted from 0.
  private(set) var first = 0

  package init(textMax: Int = 1 << 25) { self.textMax = textMax }

  /// The index of the next event.
  var end: Int { first + starts.count }
  /// Whether the session's beginning is kept.
  var isWhole: Bool { first == 0 }

  mutating func take(_ event: Event) {
    starts.append(text.count)
    text.appendLine(event)
    if text.count > textMax { dropHalf() }
  }

  /// Returns at most `max` events from an index on, without their newlines, and the index of the
  /// first of them, which is later if the requested ones are no longer kept.
  func events(from index: Int, max: Int) -> (first: Int, lines: [ArraySlice<UInt8>]) {
    let from = Swift.min(Swift.max(index, first), end)
    let lines = (from..<Swift.min(from + max, end)).map { index in
      let line = index - first
      let next = line + 1 < starts.count ? starts[line + 1] : text.count
      return text[starts[line]..<(next - 1)]
    }
    return (from, lines)
  }

  /// Returns the trace so far, with a header.
  func trace(_ header: Header) -> [UInt8] {
    var trace: [UInt8] = []
    trace.appendLine(header)
    return trace + text
  }

  private mutating func dropHalf() {
    let count = starts.count - starts.count / 2
    let cut = count < starts.count ? starts[count] : text.count
    text.removeFirst(cut)
    starts = starts[count...].map { $0 - cut }
    first += count
  }
}
