import Devices
package import Sketches
package import Traces

/// What the supply of a session's servos did: each failure, and the bytes that it cost.
package struct PowerAccount: Sendable {
  private struct Failure {
    var time: Instant
    /// When the board, or the computer's port, was there again; the same time if it never went.
    var end: Instant
    var text: String
    /// The bytes that were sent to a port that was not there.
    var unsent = 0
  }

  private var failures: [Failure] = []
  /// More than these are only counted.
  private static let listedMax = 20

  /// Reads a trace to its end.
  package init(_ reader: inout TraceReader) throws(TraceError) {
    var mark = ""
    while let event = try reader.next() {
      switch event.kind {
      case .mark(let text): mark = text
      case .fault(let strike) where strike.kind == .brownOut || strike.kind == .dropOut:
        if !strike.took.isEmpty, !failures.isEmpty {
          failures[failures.count - 1].unsent += strike.took.count
        } else if strike.took.isEmpty {
          failures.append(Failure(time: event.time, end: event.time, text: mark))
        }
      case .reset(let deadTime):
        defer { mark = "" }
        // Of the failure itself, or of the program that opened the port after it.
        if let last = failures.last,
          event.time - last.time <= .microseconds(10) || mark == PowerFailure.reopening
        {
          failures[failures.count - 1].end = event.time + deadTime
        }
      default: break
      }
    }
  }

  /// A line for each failure; none without any. `entries` are the session's bytes.
  package func lines(_ entries: [Ledger.Entry]) -> [String] {
    guard !failures.isEmpty else { return [] }
    var lines = [""]
    var last = Instant.zero
    for failure in failures.prefix(Self.listedMax) {
      let lost = entries.count { entry in
        switch entry.fate {
        case .booting: entry.arrived >= failure.time && entry.arrived <= failure.end
        case .cleared: entry.arrived > last && entry.arrived <= failure.time
        default: false
        }
      }
      last = failure.time
      let bytes = String(counting: lost + failure.unsent, "byte")
      lines.append("\(failure.time.text): \(failure.text), \(bytes) lost")
    }
    if failures.count > Self.listedMax {
      lines.append("and \(failures.count - Self.listedMax) more failures of the supply")
    }
    return lines
  }
}
