extension LiveScreen {
  /// The parts in order of importance: if there are too few rows, the last ones are dropped first.
  /// `order` is their order on the screen.
  private enum Part: CaseIterable {
    case angles, mode, bytes, title, gauge, commands, port, notice, figures

    static let order: [Part] = [
      .title, .port, .notice, .gauge, .angles, .mode, .bytes, .figures, .commands,
    ]
  }

  func drawCompact(_ status: LiveStatus, on canvas: inout ScreenCanvas) {
    var area = canvas.area
    if area.columns > 20 { area.takeMargins() }
    var rows: [Part: Int] = [:]
    var left = area.rows
    for part in Part.allCases {
      let wanted =
        switch part {
        case .angles, .mode, .bytes, .title, .port: 1
        case .gauge: LinearGauge.rows
        case .commands: 2
        case .notice:
          noticeLines(status, columns: area.columns, linesMax: size.rows < 14 ? 1 : 2).count
        case .figures: Self.figureRows(status)
        }
      guard wanted <= left - (part == .figures ? Self.commandRowsMin + 2 : 0) else { continue }
      rows[part] = wanted
      left -= wanted
    }
    if rows[.figures] != nil {
      // The figures include these parts.
      for part in [Part.angles, .mode, .bytes] { left += rows.removeValue(forKey: part) ?? 0 }
    }
    if rows[.commands] != nil {
      let hints = takeHints(status, from: &area, leaving: area.rows - left + Self.commandRowsMin)
      drawHints(status, on: &canvas, in: hints)
      rows[.commands, default: 0] += left - hints.rows
    }
    for part in Part.order {
      guard let count = rows[part] else { continue }
      draw(part, status, on: &canvas, in: area.takeRows(count))
    }
  }

  private func draw(
    _ part: Part, _ status: LiveStatus, on canvas: inout ScreenCanvas, in area: ScreenArea
  ) {
    switch part {
    case .title:
      let device = device(status)
      drawLine(
        device, time(status, beside: device, columns: area.columns), on: &canvas, in: area)
    case .port:
      let mark = recordingMark(status)
      drawLine(
        [ScreenRun(status.port, .strong)],
        [clients(status)] + (mark.isEmpty ? [] : [ScreenRun("  ")] + mark), on: &canvas, in: area)
    case .notice:
      let lines = noticeLines(status, columns: area.columns, linesMax: area.rows)
      drawNotice(lines, on: &canvas, in: area)
    case .gauge:
      LinearGauge(
        commanded: status.commandedDegrees.map(Double.init), shaft: status.shaftDegrees
      ).draw(on: &canvas, in: area)
    case .figures: drawFigures(status, on: &canvas, in: area)
    case .angles: canvas.put(shortAngles(status), in: area)
    case .mode: canvas.put(mode(status), in: area)
    case .bytes: canvas.put(shortBytes(status), in: area)
    case .commands: drawCommands(status, on: &canvas, in: area)
    }
  }

  private func shortAngles(_ status: LiveStatus) -> [ScreenRun] {
    let isNarrow = size.columns < 40
    return [
      ScreenRun(isNarrow ? "▼ " : "▼ commanded ", .commanded),
      ScreenRun(commanded(status), .commanded), ScreenRun("  "),
      ScreenRun(isNarrow ? "▲ " : "▲ shaft ", .shaft), ScreenRun(shaft(status), .shaft),
    ]
  }

  private func shortBytes(_ status: LiveStatus) -> [ScreenRun] {
    let counts = status.counts
    let waiting = counts.waitingOnLine + (counts.waitingInRing ?? 0)
    return [ScreenRun("\(ScreenText.grouped(counts.received, "byte")) in, ")]
      + [ScreenRun("\(ScreenText.grouped(waiting)) waiting, ")] + lost(status)
  }
}
