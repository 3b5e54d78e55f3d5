import Turret

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
