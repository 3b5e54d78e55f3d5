import Turret

extension SessionPicture {
  /// Draws the rows of levels: a line that is high or low, filled while it is high.
  mutating func drawLevels() {
    for (level, row) in zip(session.levels, layout.rows) {
      canvas.rectangle(
        layout.left, row.top, layout.right - layout.left, row.bottom - row.top, class: "panel")
      canvas.write(level.name, at: layout.left - 8, row.bottom - 3, .axis, anchor: .end)
      draw(level, from: row.top + 1, to: row.bottom - 1)
    }
    if session.undrawnLevelCount > 0, let last = layout.rows.last {
      canvas.write(
        "+\(session.undrawnLevelCount) more", at: layout.right + 8, last.bottom - 3, .limit)
    }
  }

  private mutating func draw(_ level: PlottedLevel, from top: Double, to bottom: Double) {
    var line = PathData()
    for (index, sample) in level.samples.enumerated() {
      let next = index + 1 < level.samples.count ? level.samples[index + 1].time : session.end
      let (start, end) = (layout.x(sample.time), layout.x(next))
      let y = sample.value > 0 ? top : bottom
      if index == 0 { line.move(start, y) } else { line.upright(to: y) }
      line.across(to: end)
      guard sample.value > 0 else { continue }
      let from = XMLText.number(sample.time.seconds, places: 6)
      let seconds = XMLText.number((next - sample.time).seconds, places: 6)
      canvas.rectangle(
        start, top, max(end - start, Self.bandWidthMin), bottom - top, class: "high",
        tooltip: "\(level.name) high from \(from) s for \(seconds) s")
    }
    canvas.path(line, class: "level")
  }
}
