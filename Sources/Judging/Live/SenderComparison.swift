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
    let (wanted, given) = (expected.bytes.map { $0.byte }, found.bytes.map { $0.byte })
    self.gapMax = gapMax
    arrivals = found.bytes.map { $0.arrived }
    bytes = ByteDifference(expected: wanted, found: given)
    var command: Int?
    for index in 0..<(bytes?.position ?? wanted.count) {
      func compare(from start: Int) {
        add(
          GapDifference(
            wanted, from: start, to: index,
            expected: expected.bytes[index].arrived - expected.bytes[start].arrived,
            found: arrivals[index] - arrivals[start]))
      }
      if index > 0 { compare(from: index - 1) }
      guard expected.bytes[index].fate == .letter else { continue }
      if let command, command < index - 1 { compare(from: command) }
      command = index
    }
  }

  private mutating func add(_ gap: GapDifference) {
    if gap.size > largestGap?.size ?? Interval(nanoseconds: -1) { largestGap = gap }
    if let gapMax, wrongGap == nil, gap.size > gapMax { wrongGap = gap }
  }

  /// Returns the first divergence in what was sent or refused in a session that ended at `end`.
  /// `lines` are those of the trace's bytes.
  func divergence(
    _ refusals: RefusalComparison, end: Instant, tolerance: Interval, lines: [Int], lastLine: Int
  ) -> Divergence? {
    func time(_ byte: Int) -> Instant {
      (byte < arrivals.count ? min(end, arrivals[byte]) : end).roundedUpToMicrosecond
    }
    func line(_ byte: Int) -> Int { byte < lines.count ? lines[byte] : lastLine }
    var all: [Divergence] = []
    if let bytes {
      all.append(
        Divergence(
          bytes, at: time(bytes.position), line: line(bytes.position), tolerance: tolerance))
    }
    if let gap = wrongGap, let gapMax {
      all.append(
        Divergence(gap, at: time(gap.position), line: line(gap.position), tolerance: gapMax))
    }
    if let refusal = refusals.divergence(end: end, lastLine: lastLine, tolerance: tolerance) {
      all.append(refusal)
    }
    // Of those at the same time, the first in this order.
    return all.min { $0.time < $1.time }
  }
}

/// A gap between two bytes or commands of the sender that differs from the trace's.
package struct GapDifference: Hashable, Sendable {
  private static let beforeCountMax = 12
  private static let commandCountMax = 8

  /// The position of the byte that ends the gap, counted from 0.
  package var position: Int
  /// The last few bytes before it, and the byte itself; for a gap between two commands, both
  /// commands.
  package var before: [UInt8]
  package var after: [UInt8]
  /// The gap in the trace and in the session, in whole microseconds.
  package var expected: Interval
  package var found: Interval

  /// Creates the difference for the gap from `bytes[start]` to `bytes[position]`.
  init(_ bytes: [UInt8], from start: Int, to position: Int, expected: Interval, found: Interval) {
    self.position = position
    self.expected = Self.rounded(expected)
    self.found = Self.rounded(found)
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

  /// The difference in one sentence.
  package var message: String {
    "\(Self.quoted(after)) came \(String(readable: found)) after \(Self.quoted(before)), "
      + "but \(String(readable: expected)) after it in the trace: "
      + "the gaps differ by \(String(readable: size))"
  }

  /// Rounds to a whole number of microseconds. No gap is negative.
  private static func rounded(_ gap: Interval) -> Interval {
    .microseconds((gap.nanoseconds + 500) / 1_000)
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.appendQuoted(bytes: bytes)
    return String(decoding: text, as: UTF8.self)
  }
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
    let sentence: String
    switch (wanted, found) {
    case (let wanted?, let found?):
      sentence =
        "refusal \(same + 1) of \(count) differs: expected \(Self.text(wanted.event)), "
        + "the network refused \(Self.text(found)) at \(place)"
    case (nil, let found?):
      sentence =
        "the network refused \(Self.text(found)) at \(place): the trace has "
        + "\(count == 0 ? "no" : "only \(count)") refusal\(count == 1 ? "" : "s")"
    case (let wanted?, nil):
      sentence =
        "the network refused only \(same) of \(count) messages: expected "
        + "\(Self.text(wanted.event)), and nothing more was refused until \(place)"
    case (nil, nil): return nil
    }
    return Divergence(
      .refused, expected: wanted, found: found, line: wanted?.line ?? lastLine,
      tolerance: tolerance, sentence: sentence)
  }

  private static func text(_ event: Event) -> String {
    if case .refused(let message) = event.kind { message.text } else { "" }
  }
}
