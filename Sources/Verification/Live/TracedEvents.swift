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
    while let event = try reader.next() {
      if let message = try Self.refused(event, reader), message.why.isJudged {
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

  /// The kinds of output that occur.
  var kinds: Set<Output.Kind> { Set(events.lazy.compactMap { $0.event.output?.kind }) }

  /// Returns the message that an event reports as refused; nil for any other event.
  private static func refused(
    _ event: Event, _ reader: borrowing TraceReader
  ) throws(TraceError) -> RefusedMessage? {
    do throws(LineScanner.Failure) {
      return try RefusedMessage(event)
    } catch {
      var error = error
      // The time and what surrounds it: `[1.500000, `.
      error.offset += String(canonical: event.time).utf8.count + 3
      throw TraceError(error, path: reader.path, line: reader.line, endsWithoutNewline: false)
    }
  }
}
