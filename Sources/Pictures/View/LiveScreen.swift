import Sketches

/// The layout of the live view on a screen of a given size.
///
///     wide                                      compact
///     port                how it ends    time   firmware   how it ends   time
///     firmware, speed, clients  rec. or keys    port
///     the last warning                          linear gauge
///     dial          figures      (commands)     angles, mode, bytes
///     commands                                  commands
///     hints                                     hints
package struct LiveScreen: Hashable, Sendable {
  package var size: ScreenSize
  package var glyphs: GlyphSet
  package var inColour: Bool

  package init(size: ScreenSize, glyphs: GlyphSet, inColour: Bool) {
    self.size = size
    self.glyphs = glyphs
    self.inColour = inColour
  }

  /// Returns a line for each row of the screen, at most as wide as the screen. Each scalar that is
  /// not part of an escape sequence takes one cell.
  package func lines(for status: LiveStatus) -> [String] {
    var drawing = LiveDrawing(status: status, canvas: ScreenCanvas(size, glyphs))
    drawing.draw()
    return drawing.canvas.lines(inColour: inColour)
  }
}

/// The live view of a status while it is drawn.
struct LiveDrawing {
  let status: LiveStatus
  var canvas: ScreenCanvas

  /// The minimum size for showing the dial and the figures next to each other.
  private static let wideMin = ScreenSize(columns: 68, rows: 17)
  /// The minimum number of rows for commands and their heading.
  static let commandRowsMin = 4

  var glyphs: GlyphSet { canvas.glyphs }

  mutating func draw() {
    let isWide =
      canvas.size.columns >= Self.wideMin.columns && canvas.size.rows >= Self.wideMin.rows
    if isWide { drawWide() } else { drawCompact() }
  }

  /// Draws a horizontal line with a caption in it.
  mutating func drawRule(_ caption: String, in area: ScreenArea) {
    let rest = max(0, area.columns - caption.unicodeScalars.count - 4)
    canvas.put(
      [
        ScreenRun("── ", .faint), ScreenRun(caption, .faint),
        ScreenRun(" " + String(repeating: "─", count: rest), .faint),
      ], in: area)
  }

  /// Draws text at both ends of a line. If there is not enough room, the left text is cut first.
  mutating func drawLine(_ left: [ScreenRun], _ right: [ScreenRun], in area: ScreenArea) {
    let room = area.columns - right.width
    var left = left
    if !right.isEmpty, room > 2 {
      canvas.put(right, in: area, at: room)
      var area = area
      canvas.put(left, in: area.takeColumns(room - 2))
    } else {
      left += right.isEmpty ? [] : [ScreenRun("  ")] + right
      canvas.put(left, in: area)
    }
  }
}

extension LiveDrawing {
  private static let figureColumns = 38
  private static let commandColumnsMin = 60
  /// From this width, and up to this height, the commands are shown next to the figures.
  private static let threePartsMin = 150
  private static let threePartsRowsMax = 20

  mutating func drawWide() {
    var area = canvas.area
    area.takeMargins()
    let title = title
    drawLine(title, time(beside: title, columns: area.columns), in: area.takeRows(1))
    drawLine(wiring, aside, in: area.takeRows(1))
    let notice = noticeLines(columns: area.columns, linesMax: 2)
    drawNotice(notice, in: area.takeRows(max(1, notice.count)))

    let hints = takeHints(from: &area, leaving: Dial.rowsMin + Self.commandRowsMin)
    drawHints(in: hints)

    let isInThreeParts = area.columns >= Self.threePartsMin && area.rows <= Self.threePartsRowsMax
    let beside = isInThreeParts ? Self.figureColumns + Self.commandColumnsMin + 5 : 35
    // The dial gets the space that the other parts can spare, up to a useful maximum.
    let room = area.columns - beside
    let hasTwoDials = !status.others.isEmpty && room >= 2 * Dial.columns(rows: Dial.rowsMin) + 1
    let dialColumns = hasTwoDials ? min(room / 2, 80) : min(room, area.columns * 5 / 9, 80)
    let spare = isInThreeParts ? area.rows : min(area.rows * 2 / 3, area.rows - Self.commandRowsMin)
    let rows = max(Dial.rowsMin, min(Dial.rows(columns: dialColumns), spare))
    // The figures of many servos need more rows than a dial.
    let figures = max(rows, min(allFigureRows, spare))
    var gauges = area.takeRows(isInThreeParts ? area.rows : figures)
    func drawDial(_ commanded: Double?, _ shaft: Double?, _ label: String?) {
      var dial = gauges.takeColumns(
        min(Dial.columns(rows: rows), dialColumns), gap: isInThreeParts ? 2 : 1)
      dial.rows = rows
      Dial(commanded: commanded, shaft: shaft).draw(on: &canvas, in: dial)
      if let label { canvas.put(label, .strong, in: dial) }
    }
    let own = hasTwoDials ? status.ownPin.map(status.label) : nil
    drawDial(status.commandedDegrees.map(Double.init), status.shaftDegrees, own)
    if let other = status.others.first, hasTwoDials {
      drawDial(
        Double(other.commandedDegrees), other.shaftDegrees, status.label(ofServoOn: other.pin))
    }
    if isInThreeParts {
      drawFigures(in: gauges.takeColumns(Self.figureColumns, gap: 3))
      drawCommands(in: gauges)
    } else {
      drawFigures(in: gauges)
      drawCommands(in: area)
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

extension LiveDrawing {
  /// The parts in order of importance: if there are too few rows, the last ones are dropped first.
  /// `order` is their order on the screen.
  private enum Part: CaseIterable {
    case angles, mode, bytes, title, gauge, commands, port, notice, figures

    static let order: [Part] = [
      .title, .port, .notice, .gauge, .angles, .mode, .bytes, .figures, .commands,
    ]
  }

  mutating func drawCompact() {
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
          noticeLines(columns: area.columns, linesMax: canvas.size.rows < 14 ? 1 : 2).count
        case .figures: figureRows
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
      let hints = takeHints(from: &area, leaving: area.rows - left + Self.commandRowsMin)
      drawHints(in: hints)
      rows[.commands, default: 0] += left - hints.rows
    }
    for part in Part.order {
      guard let count = rows[part] else { continue }
      draw(part, in: area.takeRows(count))
    }
  }

  private mutating func draw(_ part: Part, in area: ScreenArea) {
    switch part {
    case .title:
      let device = device
      drawLine(device, time(beside: device, columns: area.columns), in: area)
    case .port:
      let mark = recordingMark
      drawLine(
        [ScreenRun(status.port, .strong)],
        [clients] + (mark.isEmpty ? [] : [ScreenRun("  ")] + mark), in: area)
    case .notice:
      let lines = noticeLines(columns: area.columns, linesMax: area.rows)
      drawNotice(lines, in: area)
    case .gauge:
      LinearGauge(
        commanded: status.commandedDegrees.map(Double.init), shaft: status.shaftDegrees
      ).draw(on: &canvas, in: area)
    case .figures: drawFigures(in: area)
    case .angles: canvas.put(shortAngles, in: area)
    case .mode: canvas.put(mode, in: area)
    case .bytes: canvas.put(shortBytes, in: area)
    case .commands: drawCommands(in: area)
    }
  }

  private var shortAngles: [ScreenRun] {
    let isNarrow = canvas.size.columns < 40
    return [
      ScreenRun(isNarrow ? "▼ " : "▼ commanded ", .commanded),
      ScreenRun(commanded, .commanded), ScreenRun("  "),
      ScreenRun(isNarrow ? "▲ " : "▲ shaft ", .shaft), ScreenRun(shaft, .shaft),
    ]
  }

  private var shortBytes: [ScreenRun] {
    let counts = status.counts
    let waiting = counts.waitingOnLine + (counts.waitingInRing ?? 0)
    return [ScreenRun("\(ScreenText.grouped(counts.received, "byte")) in, ")]
      + [ScreenRun("\(ScreenText.grouped(waiting)) waiting, ")] + lost
  }
}

extension LiveDrawing {
  var title: [ScreenRun] { [ScreenRun("SentryBench  ", .faint), ScreenRun(status.port, .strong)] }

  /// The time and, if there is room for it next to `left`, how to end the session.
  func time(beside left: [ScreenRun], columns: Int) -> [ScreenRun] {
    let time = [ScreenRun(ScreenText.clock(status.time))]
    let both = [ScreenRun(status.ending + "   ", .faint)] + time
    return left.width + 2 + both.width <= columns ? both : time
  }

  /// The device at the port, its speed, and its clients.
  var wiring: [ScreenRun] {
    let clients = clients
    let verb = status.clients < 2 ? "has" : "have"
    return device + [ScreenRun(" · "), clients, ScreenRun(" \(verb) it open", clients.style)]
  }

  var device: [ScreenRun] {
    let device = ScreenRun("\(status.sketchName) · \(status.device) · ")
    guard status.senderBaud != status.baud else {
      return [device, ScreenRun("\(status.baud) baud")]
    }
    // This part comes first, since there may not be room for both.
    return [
      device, ScreenRun("sender at \(status.senderBaud) baud", .alarm),
      ScreenRun(" · \(status.baud) baud"),
    ]
  }

  var clients: ScreenRun {
    switch status.clients {
    case 0: ScreenRun("no program", .faint)
    case 1: ScreenRun("1 program")
    default: ScreenRun(ScreenText.grouped(status.clients, "program"), .warning)
    }
  }

  var recording: [ScreenRun] {
    guard let path = status.recording else { return [] }
    // There is seldom room for the folders.
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return recordingMark + [ScreenRun(" \(name)")]
  }

  /// The recording or the keys. A recorded session cannot be rewound, so there is at most one.
  var aside: [ScreenRun] {
    let recording = recording
    return recording.isEmpty ? status.keys.map { [ScreenRun($0, .faint)] } ?? [] : recording
  }

  var recordingMark: [ScreenRun] { status.recording == nil ? [] : [ScreenRun("●", .alarm)] }

  // MARK: -

  func noticeLines(columns: Int, linesMax: Int) -> [String] {
    status.notice.map { ScreenText.wrapped($0, to: columns, linesMax: linesMax) } ?? []
  }

  mutating func drawNotice(_ lines: [String], in area: ScreenArea) {
    for (index, line) in lines.enumerated() { canvas.put(line, .warning, in: area, line: index) }
  }
}

extension LiveDrawing {
  private static let caption = "copy a line into another terminal"

  /// Takes the rows for the hints from the bottom if at least `rowsMin` rows remain.
  func takeHints(
    from area: inout ScreenArea, leaving rowsMin: Int
  ) -> ScreenArea {
    let wanted = status.hints.isEmpty ? 0 : max(1, whole(columns: area.columns).count) + 1
    let rows = area.rows - wanted >= rowsMin ? wanted : 0
    area.rows -= rows
    return ScreenArea(
      row: area.row + area.rows, column: area.column, columns: area.columns, rows: rows)
  }

  /// Draws the hints. A line is shown in full or not at all, because it is meant to be copied.
  mutating func drawHints(in area: ScreenArea) {
    guard area.rows > 0 else { return }
    var area = area
    let shown = whole(columns: area.columns)
    let absent = status.hints.count - shown.count
    guard !shown.isEmpty else {
      drawRule(Self.caption, in: area.takeRows(1))
      canvas.put("widen the terminal for lines to copy", .faint, in: area)
      return
    }
    let advice = "widen the terminal for \(absent == 1 ? "one" : "\(absent)") more"
    let both = Self.caption + "; " + advice
    drawRule(
      absent == 0 ? Self.caption : both.count + 4 <= area.columns ? both : advice,
      in: area.takeRows(1))
    for (index, hint) in shown.enumerated() { canvas.put(hint, in: area, line: index) }
  }

  private func whole(columns: Int) -> [String] {
    status.hints.filter { $0.unicodeScalars.count <= columns && glyphs.shows($0) }
  }
}
