package import Sketches
import Traces

/// What was sent in a live session, compared with what was sent in its trace.
///
/// A gap is the time from one byte's arrival at the board to the next one's, and from the start of
/// one command to that of the next, so that many small delays within a command count too. The time
/// before the first byte is not a gap: it is how long the sender takes to start.
struct SenderComparison {
  /// The gap that differs most; nil if there is none.
  private(set) var largestGap: GapDifference?
  /// The first gap that differs by more than `gapMax`; nil if there is none.
  private var wrongGap: GapDifference?
  private let gapMax: Interval?
  private let bytes: ByteDifference?
  /// When each byte of the session had arrived.
  private let arrivals: [Instant]

  /// Compares the bytes, and the gaps between them up to the first byte that differs. `gapMax` is
  /// as in ``TraceJudge``.
  init(expected: Causes, found: Causes, gapMax: Interval?) {
    let wanted = expected.bytes.map { $0.byte }
    self.gapMax = gapMax
    arrivals = found.bytes.map { $0.arrived }
    bytes = ByteDifference(expected: wanted, found: found.bytes.map { $0.byte })
    var command: Int?
    for index in 0..<(bytes?.position ?? wanted.count) {
      func compare(from start: Int) {
        let gap = GapDifference(
          wanted, from: start, to: index,
          expected: expected.bytes[index].arrived - expected.bytes[start].arrived,
          found: arrivals[index] - arrivals[start])
        if gap.size > largestGap?.size ?? Interval(nanoseconds: -1) { largestGap = gap }
        if let gapMax, wrongGap == nil, gap.size > gapMax { wrongGap = gap }
      }
      if index > 0 { compare(from: index - 1) }
      guard expected.bytes[index].fate == .letter else { continue }
      if let command, command < index - 1 { compare(from: command) }
      command = index
    }
  }

  /// Returns the first divergence in what was sent or refused. `lines`: of the trace's bytes.
  func divergence(
    _ refusals: RefusalComparison, end: Instant, tolerance: Interval, lines: [Int], lastLine: Int
  ) -> Divergence? {
    func place(_ byte: Int) -> (time: Instant, line: Int) {
      let time = byte < arrivals.count ? min(end, arrivals[byte]) : end
      return (time.roundedUpToMicrosecond, byte < lines.count ? lines[byte] : lastLine)
    }
    var all: [Divergence] = []
    if let bytes {
      let (time, line) = place(bytes.position)
      all.append(Divergence(bytes, at: time, line: line, tolerance: tolerance))
    }
    if let gap = wrongGap, let gapMax {
      let (time, line) = place(gap.position)
      all.append(Divergence(gap, at: time, line: line, gapMax: gapMax))
    }
    if let refusal = refusals.divergence(end: end, lastLine: lastLine, tolerance: tolerance) {
      all.append(refusal)
    }
    // Of those at the same time, the first in this order.
    return all.min { $0.time < $1.time }
  }
}

/// The first place where the bytes of a live session differ from those of its trace.
package struct ByteDifference: Sendable {
  private static let beforeCountMax = 12
  private static let restCountMax = 8

  /// The position of the difference, counted from 0.
  fileprivate let position: Int
  /// The next few bytes of the trace and of the session; empty at its end.
  fileprivate let expected: [UInt8]
  fileprivate let found: [UInt8]
  /// The difference in one sentence.
  fileprivate let message: String

  /// Nil if the bytes are the same.
  package init?(expected: [UInt8], found: [UInt8]) {
    let same = zip(expected, found).prefix { $0 == $1 }.count
    guard same < max(expected.count, found.count) else { return nil }
    func rest(_ bytes: [UInt8]) -> [UInt8] { Array(bytes[same...].prefix(Self.restCountMax)) }
    func quoted(_ rest: [UInt8], of bytes: [UInt8]) -> String {
      "\"\(escaped(rest))\(bytes.count - same > rest.count ? "..." : "")\""
    }
    (position, self.expected, self.found) = (same, rest(expected), rest(found))
    let (wanted, given) = (quoted(self.expected, of: expected), quoted(self.found, of: found))
    let before = Array(expected[..<same].suffix(Self.beforeCountMax))
    let isCut = same > before.count
    let after = before.isEmpty ? "" : " after \"\(isCut ? "..." : "")\(escaped(before))\""
    if self.found.isEmpty {
      message =
        "the sender stopped after \(same) of \(String(counting: expected.count, "byte")): "
        + "expected \(wanted)\(after), received nothing more"
    } else if self.expected.isEmpty {
      message =
        "the sender continued after the trace's \(String(counting: expected.count, "byte")): "
        + "received \(given)\(after)"
    } else {
      message =
        "byte \(same + 1) of \(expected.count) differs: expected \(wanted)\(after), "
        + "received \(given)"
    }
  }
}

/// A gap between two bytes or commands of the sender that differs from the trace's.
package struct GapDifference: Hashable, Sendable {
  private static let beforeCountMax = 12
  private static let commandCountMax = 8

  /// The position of the byte that ends the gap, counted from 0.
  package var position: Int
  /// The bytes before it and the byte itself; for a gap between two commands, both commands.
  fileprivate var before: [UInt8]
  fileprivate var after: [UInt8]
  /// The gap in the trace and in the session, in whole microseconds.
  package var expected: Interval
  package var found: Interval

  /// Creates the difference for the gap from `bytes[start]` to `bytes[position]`.
  init(_ bytes: [UInt8], from start: Int, to position: Int, expected: Interval, found: Interval) {
    self.position = position
    self.expected = expected.roundedToMicrosecond
    self.found = found.roundedToMicrosecond
    if start == position - 1 {
      before = Array(bytes[..<position].suffix(Self.beforeCountMax))
      after = [bytes[position]]
    } else {
      before = Array(bytes[start..<position].prefix(Self.beforeCountMax))
      after = Array(bytes[position...].prefix(Self.commandCountMax))
    }
  }

  /// How much the two differ.
  package var size: Interval { (found - expected).magnitude }
}

extension Divergence {
  /// Creates a divergence for bytes that differ in a live session, noticed at `time`. `line` is
  /// the line of the differing byte in the trace.
  package init(_ bytes: ByteDifference, at time: Instant, line: Int, tolerance: Interval) {
    self.init(
      .bytes, expected: Expectation(Event(time, .receive(bytes.expected)), line: line),
      found: Event(time, .receive(bytes.found)), line: line, tolerance: tolerance,
      sentence: bytes.message + " at \(Self.seconds(time))")
  }

  /// Creates a divergence for a gap in a live session, whose last byte arrived at `time`. `line` is
  /// the line of that byte in the trace.
  fileprivate init(_ gap: GapDifference, at time: Instant, line: Int, gapMax: Interval) {
    let wanted = (time - gap.found + gap.expected).roundedUpToMicrosecond
    self.init(
      .gap, expected: Expectation(Event(wanted, .receive(gap.after)), line: line),
      found: Event(time, .receive(gap.after)), line: line, tolerance: gapMax,
      sentence: "\"\(escaped(gap.after))\" came \(String(readable: gap.found)) after "
        + "\"\(escaped(gap.before))\", but \(String(readable: gap.expected)) after it in the "
        + "trace: the gaps differ by \(String(readable: gap.size)) at \(Self.seconds(wanted)) "
        + "(--gaps \(String(readable: gapMax)))")
  }
}

/// Returns bytes as a trace contains them, without its quotes.
private func escaped(_ bytes: [UInt8]) -> Substring {
  var text: [UInt8] = []
  text.appendQuoted(bytes: bytes)
  return String(decoding: text, as: UTF8.self).dropFirst().dropLast()
}

/// Compares what the network refuses in a live session with the refusals in a trace, one by one.
struct RefusalComparison: Sendable {
  private let expected: [Expectation]
  /// The number of refusals that are the same on both sides.
  private var same = 0
  /// The first one that differs from the trace's; nil if there is none.
  private var found: Event?
  /// How many commands were replaced and merged. They are not compared.
  private(set) var replaced = 0
  private(set) var merged = 0

  init(_ expected: [Expectation]) { self.expected = expected }

  /// Takes the session's next event, of any kind.
  mutating func take(_ event: Event) {
    guard case .refused(let message) = event.kind else { return }
    switch message.why {
    case .replaced: replaced += 1
    case .merged: merged += 1
    case _ where found != nil: break
    case _ where same < expected.count && expected[same].event.kind == event.kind: same += 1
    default: found = event
    }
  }

  /// Returns the first difference in a session that ended at `end`; nil if there is none.
  func divergence(end: Instant, lastLine: Int, tolerance: Interval) -> Divergence? {
    var wanted = same < expected.count ? expected[same] : nil
    let time = found?.time ?? end
    wanted?.event.time = time
    let (place, count) = (Divergence.seconds(time), expected.count)
    func text(_ event: Event) -> String {
      if case .refused(let message) = event.kind { message.text } else { "" }
    }
    let sentence: String
    switch (wanted, found) {
    case (let wanted?, let found?):
      sentence =
        "refusal \(same + 1) of \(count) differs: expected \(text(wanted.event)), "
        + "the network refused \(text(found)) at \(place)"
    case (nil, let found?):
      sentence =
        "the network refused \(text(found)) at \(place): the trace has "
        + "\(count == 0 ? "no" : "only \(count)") refusal\(count == 1 ? "" : "s")"
    case (let wanted?, nil):
      sentence =
        "the network refused only \(same) of \(count) messages: expected "
        + "\(text(wanted.event)), and nothing more was refused until \(place)"
    case (nil, nil): return nil
    }
    return Divergence(
      .refused, expected: wanted, found: found, line: wanted?.line ?? lastLine,
      tolerance: tolerance, sentence: sentence)
  }
}
