import Traces
import Turret

/// Makes the replies of two boards comparable byte by byte.
///
/// Lines that report servo writes contain the board's clock, and their number depends on a sweep's
/// steps. If a trace requests any, they are left out on both sides: the servo events contain the
/// same information. In an answer to `?`, the angle of a sweep is replaced.
struct ReplyComparison {
  /// The longest wait in the transmit buffer before a line: 63 bytes.
  private static let queue = Interval.milliseconds(66)

  private(set) var expected: [Expectation] = []
  private(set) var found: [Event] = []

  init(_ traced: TracedSession, live: Causes, _ sent: [Event]) {
    var lines = ReplyLine.lines(
      sent.compactMap { event in
        guard case .transmit(let byte) = event.output else { return nil }
        return ReplyLine.Byte(time: event.time, byte: byte, line: 0)
      })
    if traced.reportsWrites { lines.removeAll { $0.reportsWrite } }
    for (index, reply) in traced.replies.enumerated() {
      guard let base = live.time(of: reply.cause) else { continue }
      let partner = index < lines.count ? lines[index] : nil
      let wanted =
        partner.map {
          reply.line.taking(timedPartsOf: $0, writesAreReported: traced.reportsWrites)
        } ?? reply.line
      var start = base + reply.offset
      if traced.reportsWrites, let partner, (partner.start - start).magnitude <= Self.queue {
        // Only one of the two replies had to wait for reports of writes.
        start = partner.start
      }
      for byte in wanted.bytes {
        let time = start + (byte.time - wanted.start)
        expected.append(Expectation(Event(time, .transmit(byte.byte)), line: byte.line))
      }
    }
    for (index, line) in lines.enumerated() {
      if index >= traced.replies.count, index < traced.replies.count + traced.unshownReplies {
        continue
      }
      var bytes = line.bytes[...]
      if index < traced.replies.count {
        let reply = traced.replies[index].line
        // The trace ends in the middle of the reply.
        if !reply.isWhole, traced.end - reply.bytes[reply.bytes.count - 1].time <= traced.window {
          bytes = bytes.prefix(reply.bytes.count)
        }
      }
      found += bytes.map { Event($0.time, .transmit($0.byte)) }
    }
  }
}
