import Sketches
import Traces

/// The events around a divergence, side by side. An event that both sides have is in one row.
package struct DivergenceTable {
  /// A row as a reader sees it. A side without such an event is empty.
  package struct Line: Hashable, Sendable {
    /// The trace's line; nil if the trace has no such event.
    package var number: Int?
    package var expected: String
    package var found: String
    /// Whether the row contains the event in which the sides differ.
    package var isMarked: Bool
  }

  private struct Row {
    /// Positions in the divergence's lists; nil if that side has no such event.
    var traced: Int?
    var done: Int?
    var time: Instant
  }

  /// How many rows before and after the divergence are shown.
  private static let reach = 5
  /// The longest event that is shown in full, in characters.
  private static let eventMax = 80
  /// How far apart the two sides of a row can be, if the tolerance is not larger. A device that is
  /// late is easier to recognise if its events are next to the expected ones.
  private static let pairDistanceMax = Interval.milliseconds(250)

  private let divergence: Divergence
  private let traced: [Divergence.Neighbour]
  private let done: [Divergence.Neighbour]
  /// The position of the differing event on each side.
  private let expected: Int?
  private let found: Int?

  package init(_ divergence: Divergence) {
    self.divergence = divergence
    traced = divergence.traced
    done = divergence.done
    expected = traced.lastIndex { $0.contains(divergence.expected?.event) }
    found = done.lastIndex { $0.contains(divergence.found) }
  }

  package var lines: [Line] {
    rows().map { row in
      Line(
        number: row.traced.flatMap { traced[$0].line },
        expected: row.traced.map { Self.text(traced[$0]) } ?? "",
        found: row.done.map { Self.text(done[$0]) } ?? "", isMarked: isMarked(row))
    }
  }

  package var text: String {
    let lines = lines
    let numbers = lines.map { $0.number.map { "\($0)" } ?? "" }
    let numberWidth = numbers.map { $0.count }.max() ?? 0
    let leftWidth = max(8, lines.map { $0.expected.count }.max() ?? 0)
    var text =
      "    " + "".padded(to: numberWidth + 4) + "expected".padded(to: leftWidth) + "   found\n"
    for (line, number) in zip(lines, numbers) {
      var rendered = "    \(line.isMarked ? ">" : " ") "
      rendered += String(repeating: " ", count: numberWidth - number.count) + number
      rendered += "  \(line.expected.padded(to: leftWidth))   \(line.found)"
      while rendered.last == " " { rendered.removeLast() }
      text += rendered + "\n"
    }
    return text
  }

  /// Whether a row contains the differing event of either side.
  private func isMarked(_ row: Row) -> Bool {
    row.traced != nil && row.traced == expected || row.done != nil && row.done == found
  }

  /// Returns the rows around the divergence, in order of time.
  private func rows() -> [Row] {
    var partners: [Int?] = Array(repeating: nil, count: traced.count)
    for pair in pairs() { partners[pair.traced] = pair.done }
    let alone = Set(done.indices).subtracting(partners.compactMap { $0 })
    let all =
      traced.indices.map { Row(traced: $0, done: partners[$0], time: traced[$0].event.time) }
      + alone.sorted().map { Row(traced: nil, done: $0, time: done[$0].event.time) }
    let rows = all.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map { $0.element }
    let first =
      rows.firstIndex(where: isMarked) ?? rows.firstIndex { $0.time >= divergence.time }
      ?? rows.count
    let last = rows.lastIndex(where: isMarked) ?? first
    return Array(rows[max(0, first - Self.reach)..<min(rows.count, last + 1 + Self.reach)])
  }

  /// Pairs the same outputs of both sides, the closest in time first, without changing the order
  /// of a kind. The two differing events form a pair too.
  private func pairs() -> [(traced: Int, done: Int)] {
    var pairs: [(traced: Int, done: Int)] = []
    if let expected, let found { pairs.append((expected, found)) }
    let limit = max(divergence.tolerance, Self.pairDistanceMax)
    var candidates: [(distance: Interval, traced: Int, done: Int)] = []
    for (index, wanted) in traced.enumerated() {
      guard let output = wanted.event.output else { continue }
      for (other, given) in done.enumerated() {
        let distance = (given.event.time - wanted.event.time).magnitude
        guard let found = given.event.output, output.matches(found), distance <= limit else {
          continue
        }
        candidates.append((distance, index, other))
      }
    }
    for candidate in candidates.sorted(by: { $0 < $1 }) {
      let kind = traced[candidate.traced].event.output?.kind
      let fits = pairs.allSatisfy { pair in
        if pair.traced == candidate.traced || pair.done == candidate.done { return false }
        let isSameKind = traced[pair.traced].event.output?.kind == kind
        return !isSameKind || (pair.traced < candidate.traced) == (pair.done < candidate.done)
      }
      if fits { pairs.append((candidate.traced, candidate.done)) }
    }
    return pairs
  }

  private static func text(_ neighbour: Divergence.Neighbour) -> String {
    PlainText.of(neighbour.text, upTo: Self.eventMax)
  }
}
