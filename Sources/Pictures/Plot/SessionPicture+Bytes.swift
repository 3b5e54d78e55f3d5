import Sketches
import Traces

extension SessionPicture {
  /// Draws the bytes as they arrived: a tick each, words below, and callouts for problems above.
  mutating func drawBytes() {
    let onAxis = Self.onAxis(session)
    let words = ByteWord.words(of: Array(onAxis), in: layout)
    drawByteRanges()
    drawTicks(onAxis)
    drawWords(words)
    drawCallouts(onAxis)
    for word in words {
      canvas.rectangle(
        word.first - 3, layout.tick.top - 6, word.last - word.first + 6,
        layout.tick.bottom - layout.tick.top + 8, class: "hit", tooltip: word.tooltip)
    }
    let rest = session.bytes.count - onAxis.count
    if rest > 0 {
      canvas.write("+\(rest) not yet", at: layout.right + 8, layout.tick.bottom - 10, .limit)
      canvas.write("arrived", at: layout.right + 8, layout.tick.bottom + 1, .limit)
    }
    if session.bytes.isEmpty {
      canvas.write(
        "no bytes", at: (layout.left + layout.right) / 2, layout.wordLines[0], .axis,
        anchor: .middle)
    }
  }

  /// Draws a line below the ticks wherever a byte can have arrived.
  private mutating func drawByteRanges() {
    var path = PathData()
    var last = -Double.infinity
    let y = layout.tick.bottom + 2
    for range in session.byteRanges {
      let start = max(layout.left, last, layout.x(range.lowerBound))
      let end = min(layout.right, layout.x(range.upperBound))
      guard start < end else { continue }
      if start > last { path.move(start, y) }
      path.across(to: end)
      last = end
    }
    canvas.path(path, class: "when")
  }

  /// Draws a tick for each byte, but only one within half a pixel for each fate.
  private mutating func drawTicks(_ entries: ArraySlice<Ledger.Entry>) {
    var columns: [Fate: Int] = [:]
    var ticks: [Fate: PathData] = [:]
    var marks: [Fate: PathData] = [:]
    var lastMark = -Double.infinity
    var lastLoss = -Double.infinity
    for entry in entries {
      let x = layout.x(entry.arrived)
      let column = Int(x * 2)
      guard columns[entry.fate] != column else { continue }
      columns[entry.fate] = column
      ticks[entry.fate, default: PathData()].move(x, layout.tick.top)
      ticks[entry.fate, default: PathData()].upright(to: layout.tick.bottom)
      // If several shapes share a place, the first one shows the cause. A loss is always drawn,
      // even if it hides another shape.
      guard !entry.fate.isTaken, x - (entry.fate.isLost ? lastLoss : lastMark) >= 4 else {
        continue
      }
      lastMark = x
      if entry.fate.isLost { lastLoss = x }
      entry.fate.marker.draw(at: x, layout.tick.top, in: &marks[entry.fate, default: PathData()])
    }
    for fate in Fate.allCases {
      if let path = ticks[fate] { canvas.path(path, class: "tick \(fate.styleClass)") }
      if let path = marks[fate] {
        canvas.path(path, class: "\(fate.marker.styleClass) \(fate.styleClass)")
      }
    }
  }

  private mutating func drawWords(_ words: [ByteWord]) {
    var rows = Rows(count: layout.wordLines.count)
    // If there is not enough room for all, words with problems have priority.
    let troubled = words.filter { $0.entries.contains { !$0.fate.isTaken } }
    let fine = words.filter { $0.entries.allSatisfy { $0.fate.isTaken } }
    var unnamed = 0
    for word in troubled + fine {
      let runs = word.runs
      let width = runs.reduce(0) { $0 + TextStyle.byte.width($1.text) }
      let x = max(layout.left + 1, min(word.first - 3, layout.right - width))
      guard let row = rows.place(x...(x + width + 4)) else {
        unnamed += 1
        continue
      }
      canvas.write(runs, at: x, layout.wordLines[row], .byte)
    }
    if unnamed > 0 {
      canvas.write("+\(unnamed) more", at: layout.right + 8, layout.wordLines[1], .limit)
    }
  }

  /// Draws texts about bytes that were not taken.
  private mutating func drawCallouts(_ entries: ArraySlice<Ledger.Entry>) {
    let callouts = ByteCallout.callouts(of: entries, in: layout)
    var places: [ClosedRange<Double>?] = Array(repeating: nil, count: callouts.count)
    func place(_ index: Int, _ runs: [(text: String, class: String?)]) -> ClosedRange<Double>? {
      let width = runs.reduce(0) { $0 + TextStyle.callout.width($1.text) }
      let centre = (callouts[index].first + callouts[index].last) / 2
      let x = max(layout.left + 2, min(centre - width / 2, layout.right - width))
      let range = x...(x + width + 6)
      let isFree = places.enumerated().allSatisfy { other, taken in
        other == index || taken.map { !$0.overlaps(range) } ?? true
      }
      return isFree ? range : nil
    }
    // If there is not enough room for all, losses have priority, and a short text for every group
    // has priority over a full text for one.
    let order =
      callouts.indices.filter { callouts[$0].hasLoss }
      + callouts.indices.filter { !callouts[$0].hasLoss }
    for index in order { places[index] = place(index, Array(callouts[index].runs.prefix(1))) }
    for index in order {
      var runs = callouts[index].runs
      if let whole = place(index, runs) {
        places[index] = whole
      } else {
        runs = Array(runs.prefix(1))
      }
      guard let range = places[index] else { continue }
      canvas.write(runs, at: range.lowerBound, layout.calloutLine, .callout)
    }
  }
}

/// Consecutive bytes that are drawn as one word.
struct ByteWord {
  var entries: ArraySlice<Ledger.Entry>
  /// The positions of the first and last byte's ticks.
  var first: Double
  var last: Double

  /// Longer words are shortened.
  private static let lettersMax = 16
  /// A long word with at least this many commands shows their number.
  private static let commandCountMin = 8

  /// The word as runs with one fate each. A long word is reduced to its beginning and end, and many
  /// commands to their number.
  var runs: [(text: String, class: String?)] {
    guard entries.count > Self.lettersMax else { return Self.runs(of: entries) }
    let commandCount = entries.count { $0.fate == .letter }
    if commandCount >= Self.commandCountMin {
      let commands = entries.drop { $0.fate != .letter }
      let first = commands.prefix(1) + commands.dropFirst().prefix { $0.fate != .letter }
      let last = entries[(entries.lastIndex { $0.fate == .letter } ?? entries.startIndex)...]
      // No run ends in a space, because some programs leave it out.
      return [("\(Crowd.name(commandCount)) (", "note")] + Self.runs(of: first.prefix(8))
        + [("…", "note")] + Self.runs(of: last.prefix(8)) + [(")", "note")]
    }
    let ends = (head: entries.prefix(8), tail: entries.suffix(6))
    let left = entries.count - ends.head.count - ends.tail.count
    return Self.runs(of: ends.head) + [("…\(left)…", "note")] + Self.runs(of: ends.tail)
  }

  private static func runs(
    of entries: ArraySlice<Ledger.Entry>
  ) -> [(text: String, class: String?)] {
    var runs: [(text: String, class: String?)] = []
    for entry in entries {
      let text = XMLText.byte(entry.byte)
      if let last = runs.last, last.class == entry.fate.styleClass {
        runs[runs.count - 1].text = last.text + text
      } else {
        runs.append((text, entry.fate.styleClass))
      }
    }
    return runs
  }

  /// The tooltip shown when a pointer is over the word.
  var tooltip: String {
    var text = "\(XMLText.number(entries[entries.startIndex].arrived.seconds, places: 6)) s: "
    for entry in entries.prefix(64) { text += XMLText.byte(entry.byte) }
    if entries.count > 64 { text += "… (\(String(counting: entries.count, "byte")))" }
    var counts: [(caption: String, count: Int)] = []
    for entry in entries {
      if let index = counts.firstIndex(where: { $0.caption == entry.fate.caption }) {
        counts[index].count += 1
      } else {
        counts.append((entry.fate.caption, 1))
      }
    }
    return text + " - " + counts.map { "\($0.count) \($0.caption)" }.joined(separator: ", ")
  }

  /// Splits bytes into words where there is room for separate letters and where a pause on the line
  /// is wide enough to be visible.
  static func words(of entries: [Ledger.Entry], in layout: Layout) -> [ByteWord] {
    let gaps = zip(entries, entries.dropFirst()).map { $1.arrived - $0.arrived }
    let quiet = (gaps.min() ?? .zero).nanoseconds * 3
    var words: [ByteWord] = []
    var start = 0
    for index in entries.indices {
      let x = layout.x(entries[index].arrived)
      let isLast = index == entries.count - 1
      let gap = isLast ? 0 : layout.x(entries[index + 1].arrived) - x
      guard isLast || gap >= 11 || gap >= 3 && gaps[index].nanoseconds > quiet else { continue }
      words.append(
        ByteWord(entries: entries[start...index], first: layout.x(entries[start].arrived), last: x))
      start = index + 1
    }
    return words
  }
}

/// A short text above the bytes: a group of nearby bytes that were not taken.
struct ByteCallout {
  /// The positions of the first and last byte of the group.
  private(set) var first: Double
  private(set) var last: Double
  private var counts: [(fate: Fate, byte: UInt8, count: Int)] = []

  /// Bytes further apart than this get separate callouts.
  private static let nearness = 48.0
  /// The maximum width, so that the text stays close to its bytes.
  private static let widest = 140.0

  private init(_ entry: Ledger.Entry, at x: Double) {
    first = x
    last = x
    add(entry, at: x)
  }

  /// Whether one of the bytes never reached the sketch.
  var hasLoss: Bool { counts.contains { $0.fate.isLost } }

  /// The text as one run for each fate, losses first.
  var runs: [(text: String, class: String?)] {
    let inOrder = counts.filter { $0.fate.isLost } + counts.filter { !$0.fate.isLost }
    return inOrder.enumerated().map { index, part in
      let what = part.count == 1 ? XMLText.byte(part.byte) : "\(part.count)"
      return ("\(index > 0 ? ", " : "")\(what) \(part.fate.caption)", part.fate.styleClass)
    }
  }

  private mutating func add(_ entry: Ledger.Entry, at x: Double) {
    last = x
    if let index = counts.firstIndex(where: { $0.fate == entry.fate }) {
      counts[index].count += 1
    } else {
      counts.append((entry.fate, entry.byte, 1))
    }
  }

  static func callouts(of entries: ArraySlice<Ledger.Entry>, in layout: Layout) -> [ByteCallout] {
    var callouts: [ByteCallout] = []
    for entry in entries where !entry.fate.isTaken {
      let x = layout.x(entry.arrived)
      if let previous = callouts.last, x - previous.last < nearness, x - previous.first < widest {
        callouts[callouts.count - 1].add(entry, at: x)
      } else {
        callouts.append(ByteCallout(entry, at: x))
      }
    }
    return callouts
  }
}
