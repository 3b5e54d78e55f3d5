import Sketches
import Traces

/// Compares a live session's outputs with a trace's, moved to the session's times.
struct LiveComparison {
  /// A tone that began before a running board's state was known has ended after this time.
  private static let toneMax = Interval.milliseconds(250)

  private let traced: TracedSession
  private let kinds: Set<Output.Kind>
  private let tolerance: Interval
  private let fix: TracedSession.Fix?
  private(set) var comparison: Comparison

  /// `fix`: if a board's state was unknown at first, only what follows the fix is compared.
  init(
    _ traced: TracedSession, kinds: Set<Output.Kind>, tolerance: Interval,
    fix: TracedSession.Fix?
  ) {
    self.traced = traced
    self.kinds = kinds
    self.tolerance = tolerance
    self.fix = fix
    comparison = Comparison(kinds: kinds, tolerance: tolerance)
  }

  /// Compares the outputs up to an instant of the session, which ended at `end`.
  mutating func compare(
    _ live: Causes, _ outputs: [Event], until limit: Instant, end: Instant
  ) {
    let seen = LiveOutputs(outputs)
    let model = LiveOutputs(live.outputs.map { Event($0.time, $0.output) })
    var retiming = Retiming(
      traced, onto: live, seen, model: model, tolerance: tolerance, end: end)
    for kind in Output.Kind.allCases where kinds.contains(kind) {
      retiming.expect(kind, after: fix)
    }
    var expected = retiming.expectations
    var found = outputs
    if kinds.contains(.transmit) {
      let replies = ReplyComparison(traced, live: live, seen[.transmit])
      expected += replies.expected
      found.removeAll { $0.output?.kind == .transmit }
      found += replies.found
      found.sort { $0.time < $1.time }
    }
    if let fix {
      let fixed = fixed(fix, live, seen)
      // If the state was never fixed, there is nothing to compare.
      let quiet = fixed == .distantFuture ? fixed : fixed + Self.toneMax
      found.removeAll { $0.time <= fixed || $0.time <= quiet && $0.output?.kind == .tone }
      expected.removeAll { $0.event.time <= quiet && $0.event.output?.kind == .tone }
    }
    if limit < end {
      found.removeAll { $0.time > limit }
      expected.removeAll { $0.event.time > limit }
    }
    comparison.feed(inputs(live, until: limit) + expected, found)
    comparison.finish(at: limit, line: traced.lastLine)
  }

  /// Returns the trace's bytes at the session's times, for the report.
  private func inputs(_ live: Causes, until limit: Instant) -> [Expectation] {
    var inputs: [Expectation] = []
    var index = 0
    let byteTime = ByteClock.byteTime(baud: traced.header.baud)
    for input in traced.inputs {
      guard case .receive(let bytes) = input.event.kind, index < live.bytes.count else { continue }
      let time = (live.bytes[index].arrived - byteTime).roundedUpToMicrosecond
      if time <= limit {
        inputs.append(Expectation(Event(time, input.event.kind), line: input.line))
      }
      index += bytes.count
    }
    return inputs
  }

  /// Returns when the live session's state was fixed: at a reset, or with the aim that is also in
  /// the trace.
  private func fixed(
    _ fix: TracedSession.Fix, _ live: Causes, _ seen: LiveOutputs
  ) -> Instant {
    switch fix {
    case .reset(let number):
      return number <= live.resets.count ? live.resets[number - 1] : .zero
    case .aim(let byte):
      guard byte < live.bytes.count else { return .distantFuture }
      let arrived = live.bytes[byte].arrived
      let last = (live.time(of: .byte(byte)) ?? arrived) + tolerance
      guard let aim = traced.aim(byte) else { return last }
      return seen.first(aim.output, from: arrived, to: last)?.time ?? last
    }
  }
}

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

/// A line from the board: its bytes up to LF, as they arrive.
struct ReplyLine: Hashable {
  struct Byte: Hashable {
    var time: Instant
    var byte: UInt8
    /// The trace's line; 0 in a live session.
    var line: Int
  }

  private(set) var bytes: [Byte]

  /// Splits a board's bytes into lines. The last line can lack its end.
  static func lines(_ bytes: some Sequence<Byte>) -> [ReplyLine] {
    var lines: [ReplyLine] = []
    var isOpen = false
    for byte in bytes {
      if isOpen {
        lines[lines.count - 1].bytes.append(byte)
      } else {
        lines.append(ReplyLine(bytes: [byte]))
      }
      isOpen = byte.byte != 0x0A
    }
    return lines
  }

  var start: Instant { bytes[0].time }
  var isWhole: Bool { bytes[bytes.count - 1].byte == 0x0A }

  /// Whether the line reports a servo write: eight hexadecimal digits of the board's clock and two
  /// of degrees. Of a truncated line, only the part that is present is checked.
  var reportsWrite: Bool {
    let digits = isWhole ? bytes.dropLast() : bytes[...]
    return (isWhole ? digits.count == 10 : digits.count <= 10)
      && digits.allSatisfy { 0x30...0x39 ~= $0.byte || 0x61...0x66 ~= $0.byte }
  }

  /// Whether the line is a complete answer to `?`, whose fields are at fixed offsets.
  private var isStatus: Bool { bytes.count == 49 && isWhole }
  private static let degrees = 0..<3
  private static let mode = 4..<8
  private static let dropped = 43..<48

  private func text(_ range: Range<Int>) -> [UInt8] { bytes[range].map { $0.byte } }

  /// Returns the line with its timing-dependent fields taken from another: the angle if both are
  /// sweeping and, if writes are reported, how many lines were dropped.
  func taking(timedPartsOf other: ReplyLine, writesAreReported: Bool) -> ReplyLine {
    guard isStatus, other.isStatus else { return self }
    var line = self
    func take(_ range: Range<Int>) {
      for index in range { line.bytes[index].byte = other.bytes[index].byte }
    }
    if text(Self.mode) == Array("scan".utf8), other.text(Self.mode) == text(Self.mode) {
      take(Self.degrees)
    }
    if writesAreReported { take(Self.dropped) }
    return line
  }
}
