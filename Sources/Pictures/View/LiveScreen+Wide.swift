import Turret

extension LiveScreen {
  private static let figureColumns = 38
  private static let commandColumnsMin = 60
  /// From this width, and up to this height, the commands are shown next to the figures.
  private static let threePartsMin = 150
  private static let threePartsRowsMax = 20

  func drawWide(_ status: LiveStatus, on canvas: inout ScreenCanvas) {
    var area = canvas.area
    area.takeMargins()
    let title = title(status)
    drawLine(
      title, time(status, beside: title, columns: area.columns), on: &canvas, in: area.takeRows(1))
    drawLine(wiring(status), aside(status), on: &canvas, in: area.takeRows(1))
    let notice = noticeLines(status, columns: area.columns, linesMax: 2)
    drawNotice(notice, on: &canvas, in: area.takeRows(max(1, notice.count)))

    let hints = takeHints(status, from: &area, leaving: Dial.rowsMin + Self.commandRowsMin)
    drawHints(status, on: &canvas, in: hints)

    let isInThreeParts =
      area.columns >= Self.threePartsMin && area.rows <= Self.threePartsRowsMax
    let beside = isInThreeParts ? Self.figureColumns + Self.commandColumnsMin + 5 : 35
    // The dial gets the space that the other parts can spare, up to a useful maximum.
    let room = area.columns - beside
    let hasTwoDials = !status.others.isEmpty && room >= 2 * Dial.columns(rows: Dial.rowsMin) + 1
    let dialColumns = hasTwoDials ? min(room / 2, 80) : min(room, area.columns * 5 / 9, 80)
    let spare =
      isInThreeParts ? area.rows : min(area.rows * 2 / 3, area.rows - Self.commandRowsMin)
    let rows = max(Dial.rowsMin, min(Dial.rows(columns: dialColumns), spare))
    // The figures of many servos need more rows than a dial.
    let figures = max(rows, min(Self.allFigureRows(status), spare))
    var gauges = area.takeRows(isInThreeParts ? area.rows : figures)
    var dial = gauges.takeColumns(
      min(Dial.columns(rows: rows), dialColumns), gap: isInThreeParts ? 2 : 1)
    dial.rows = rows
    Dial(commanded: status.commandedDegrees.map(Double.init), shaft: status.shaftDegrees)
      .draw(on: &canvas, in: dial)
    if let other = status.others.first, hasTwoDials {
      if let own = status.ownPin { canvas.put(status.label(ofServoOn: own), .strong, in: dial) }
      dial = gauges.takeColumns(
        min(Dial.columns(rows: rows), dialColumns), gap: isInThreeParts ? 2 : 1)
      dial.rows = rows
      Dial(commanded: Double(other.commandedDegrees), shaft: other.shaftDegrees)
        .draw(on: &canvas, in: dial)
      canvas.put(status.label(ofServoOn: other.pin), .strong, in: dial)
    }
    if isInThreeParts {
      drawFigures(status, on: &canvas, in: gauges.takeColumns(Self.figureColumns, gap: 3))
      drawCommands(status, on: &canvas, in: gauges)
    } else {
      drawFigures(status, on: &canvas, in: gauges)
      drawCommands(status, on: &canvas, in: area)
    }
  }
}

extension ScreenArea {
  /// Leaves a column empty on each side.
  mutating func takeMargins() {
    _ = takeColumns(1)
    columns = max(0, columns - 1)
  }
}
