import Traces
import Turret

/// The events of a trace that judges a live session, read to its end.
struct TracedEvents {
  let header: Header
  let end: Instant
  /// All events up to the end.
  let events: [Expectation]
  /// The refusals of the network, which a live session must have too.
  let refused: [(message: RefusedMessage, line: Int)]
  let lastLine: Int

  init(_ reader: inout TraceReader) throws(TraceError) {
    header = reader.header
    var events: [Expectation] = []
    var refused: [(message: RefusedMessage, line: Int)] = []
    reader.checksRefusals = true
    while let event = try reader.next() {
      if case .refused(let message) = event.kind, message.why.isJudged {
        refused.append((message, reader.line))
      }
      if event.time <= header.end ?? event.time {
        events.append(Expectation(event, line: reader.line))
      }
    }
    self.events = events
    self.refused = refused
    lastLine = reader.line
    end = header.end ?? reader.time
  }

  /// The bytes, resets and speeds.
  var inputs: [Expectation] { events.filter { $0.event.isInput } }

  /// Returns the trace's line for each byte that reaches the board.
  func lines(of bytes: [Ledger.Entry]) -> [Int] {
    let inputs = inputs
    var lines: [Int] = []
    for input in inputs {
      if case .receive(let sent) = input.event.kind {
        lines += Array(repeating: input.line, count: sent.count)
      }
    }
    if lines.count == bytes.count { return lines }
    // If the speeds differ, the bytes that arrive are not those that were sent.
    return bytes.map { byte in
      inputs.last { $0.event.time < byte.arrived }?.line ?? 1
    }
  }

  /// The kinds of output that occur.
  var kinds: Set<Output.Kind> { Set(events.lazy.compactMap { $0.event.output?.kind }) }
}
