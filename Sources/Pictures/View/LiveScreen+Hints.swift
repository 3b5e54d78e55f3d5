extension LiveScreen {
  private static let caption = "copy a line into another terminal"

  /// Takes the rows for the hints from the bottom if at least `rowsMin` rows remain.
  func takeHints(
    _ status: LiveStatus, from area: inout ScreenArea, leaving rowsMin: Int
  ) -> ScreenArea {
    let wanted = status.hints.isEmpty ? 0 : max(1, whole(status, columns: area.columns).count) + 1
    let rows = area.rows - wanted >= rowsMin ? wanted : 0
    area.rows -= rows
    return ScreenArea(
      row: area.row + area.rows, column: area.column, columns: area.columns, rows: rows)
  }

  /// Draws the hints. A line is shown in full or not at all, because it is meant to be copied.
  func drawHints(_ status: LiveStatus, on canvas: inout ScreenCanvas, in area: ScreenArea) {
    guard area.rows > 0 else { return }
    var area = area
    let shown = whole(status, columns: area.columns)
    let absent = status.hints.count - shown.count
    guard !shown.isEmpty else {
      drawRule(Self.caption, on: &canvas, in: area.takeRows(1))
      canvas.put("widen the terminal for lines to copy", .faint, in: area)
      return
    }
    let advice = "widen the terminal for \(absent == 1 ? "one" : "\(absent)") more"
    let both = Self.caption + "; " + advice
    drawRule(
      absent == 0 ? Self.caption : both.count + 4 <= area.columns ? both : advice, on: &canvas,
      in: area.takeRows(1))
    for (index, hint) in shown.enumerated() { canvas.put(hint, in: area, line: index) }
  }

  private func whole(_ status: LiveStatus, columns: Int) -> [String] {
    status.hints.filter { $0.unicodeScalars.count <= columns && glyphs.shows($0) }
  }
}
