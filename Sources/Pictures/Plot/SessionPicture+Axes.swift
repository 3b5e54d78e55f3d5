import Sketches

extension SessionPicture {
  static let bandWidthMin = 1.2

  /// Draws the grid, the axes and their units.
  mutating func drawAxes() {
    let ticks = Ticks(from: session.start, to: session.end)
    var grid = PathData()
    for degrees in stride(from: 0.0, through: 180, by: 45) {
      let y = layout.angle(degrees)
      grid.move(layout.left, y)
      grid.across(to: layout.right)
      canvas.write(
        "\(XMLText.number(degrees, places: 0))°", at: layout.left - 8, y + 4, .axis, anchor: .end)
      let pulse = 544 + degrees * 1_856 / 180
      canvas.write("\(XMLText.number(pulse, places: 0)) µs", at: layout.right + 8, y + 4, .axis)
    }
    for value in ticks.values {
      let x = layout.time(value * ticks.secondsPerUnit)
      grid.move(x, layout.strip.bottom)
      grid.upright(to: layout.panel.bottom)
      grid.move(x, layout.lane.top)
      grid.upright(to: layout.lane.bottom)
      canvas.write(ticks.label(value), at: x, layout.axisLine, .axis, anchor: .middle)
    }
    canvas.path(grid, class: "grid")

    canvas.write("angle", at: layout.left - 8, layout.strip.bottom - 5, .limit, anchor: .end)
    canvas.write("pulse", at: layout.right + 8, layout.strip.bottom - 5, .limit)
    // To the right of the last label, which can be at the right edge.
    let label = ticks.values.last.map { TextStyle.axis.width(ticks.label($0)) / 2 + 4 } ?? 0
    canvas.write("time, \(ticks.unit)", at: layout.right + max(14, label), layout.axisLine, .limit)
    canvas.write("bytes", at: layout.left - 8, layout.tick.bottom - 5, .axis, anchor: .end)

    var limits = PathData()
    for degrees in session.scan.map({ [$0.lowerBound, $0.upperBound] }) ?? [] {
      let degrees = Double(degrees)
      let y = layout.angle(degrees)
      limits.move(layout.left, y)
      limits.across(to: layout.right)
      canvas.write(
        "\(XMLText.number(degrees, places: 0))°", at: layout.left - 8, y + 3.5, .limit,
        anchor: .end)
    }
    canvas.path(limits, class: "limits")

    var axes = PathData()
    axes.move(layout.left, layout.panel.bottom)
    axes.across(to: layout.right)
    axes.move(layout.left, layout.lane.bottom)
    axes.across(to: layout.right)
    canvas.path(axes, class: "axis")
  }

  /// Draws what the sketch was doing, in the background, with a name if there is room for one.
  mutating func drawModes() {
    for band in bands where band.mode != .idle {
      let start = layout.x(band.start)
      // A purge takes microseconds but must be visible.
      let width = max(band.width(in: layout), Self.bandWidthMin)
      let name = band.mode.styleClass
      let seconds = XMLText.number((band.end - band.start).seconds, places: 6)
      let from = XMLText.number(band.start.seconds, places: 6)
      canvas.rectangle(
        start, layout.panel.top, width, layout.panel.bottom - layout.panel.top,
        class: "band \(name)")
      drawInStrip(
        start, width, class: "strip \(name)",
        tooltip: "\(from) s: \(band.mode.rawValue) for \(seconds) s")
    }
    for band in bands {
      guard let name = bandName(band) else { continue }
      let centre = (layout.x(band.start) + layout.x(band.end)) / 2
      canvas.write(name, at: centre, layout.strip.bottom - 5, .mode, anchor: .middle)
    }
  }

  private mutating func drawInStrip(
    _ x: Double, _ width: Double, class style: String, tooltip: String? = nil
  ) {
    canvas.rectangle(
      x, layout.strip.top, width, layout.strip.bottom - layout.strip.top, class: style,
      tooltip: tooltip)
  }

  /// The longest name that fits the band.
  func bandName(_ band: PlottedSession.Band) -> String? {
    let names = [band.mode.rawValue, band.mode.shortName].compactMap { $0 }
    return names.first { TextStyle.mode.width($0) + 6 <= band.width(in: layout) }
  }

  /// Draws the crowds of commands where single commands cannot be seen.
  mutating func drawCrowds() {
    for crowd in crowds {
      let start = layout.x(crowd.start)
      let width = max(layout.x(crowd.end) - start, Self.bandWidthMin)
      let from = XMLText.number(crowd.start.seconds, places: 6)
      let seconds = XMLText.number((crowd.end - crowd.start).seconds, places: 6)
      drawInStrip(start, width, class: "crowd", tooltip: "\(from) s: \(crowd.name) in \(seconds) s")
      guard let name = crowdName(crowd) else { continue }
      // The text would not be legible on the pattern.
      let room = TextStyle.mode.width(name) + 8
      drawInStrip(start + (width - room) / 2, room, class: "panel")
      canvas.write(name, at: start + width / 2, layout.strip.bottom - 5, .mode, anchor: .middle)
    }
  }

  /// The longest name that fits the crowd.
  func crowdName(_ crowd: Crowd) -> String? {
    let width = layout.x(crowd.end) - layout.x(crowd.start)
    return [crowd.name, crowd.shortName].first { TextStyle.mode.width($0) + 12 <= width }
  }

  /// Marks the instants at which the board restarted.
  mutating func drawResets() {
    for reset in session.resets {
      let x = layout.x(reset)
      canvas.line(x, layout.panel.top, x, layout.lane.bottom, class: "reset")
      let isFarRight = x > layout.right - 40
      canvas.write(
        "reset", at: x + (isFarRight ? -5 : 5), layout.panel.bottom - 6, .limit,
        anchor: isFarRight ? .end : .start)
    }
  }
}

extension PlottedSession.Band {
  /// The width in pixels.
  func width(in layout: Layout) -> Double { layout.x(end) - layout.x(start) }

  /// Whether the band can be seen. A sketch that starts in microseconds is not worth a line.
  func isVisible(in layout: Layout) -> Bool {
    mode != .startingUp || width(in: layout) >= SessionPicture.bandWidthMin
  }
}
