import Judging
import Sketches

extension SessionPicture {
  /// The minimum width at which a dot can be seen under the line of the commanded angle.
  static let visiblePulseWidth = 2.4

  /// Draws the shaft, the pulses and the commanded angle, and what the trace expected instead.
  mutating func drawAngles() {
    drawBand()
    drawShaft()
    drawOtherServos()
    drawPulses()
    if session.showsExpected { canvas.path(steps(session.expected), class: "expected") }
    canvas.path(steps(session.commanded), class: "commanded")
    if session.commanded.isEmpty && session.pulses.isEmpty && session.others.isEmpty {
      canvas.write(
        "no output", at: (layout.left + layout.right) / 2,
        layout.angle(110), .subtitle, anchor: .middle)
    }
  }

  /// Whether the timings command different angles at some instant.
  var showsBand: Bool {
    session.band?.ranges.contains { $0.map { $0.lowerBound < $0.upperBound } ?? false } ?? false
  }

  /// Draws the range of the commanded angle over the timings wherever they differ.
  private mutating func drawBand() {
    guard let band = session.band else { return }
    var area = PathData()
    var part = 0
    while part < band.ranges.count {
      let first = part
      part += 1
      guard let range = band.ranges[first], range.lowerBound < range.upperBound else { continue }
      while part < band.ranges.count, band.ranges[part] == range { part += 1 }
      area.move(layout.x(band.instant(first)), layout.angle(Double(range.upperBound)))
      area.across(to: layout.x(band.instant(part)))
      area.upright(to: layout.angle(Double(range.lowerBound)))
      area.across(to: layout.x(band.instant(first)))
      area.close()
    }
    canvas.path(area, class: "other")
  }

  /// Draws a dot for each pulse at its angle. If the dots are close together, they are made smaller
  /// so that they remain separate, or are hidden by the commanded angle.
  private mutating func drawPulses() {
    guard let first = session.pulses.first, let last = session.pulses.last else { return }
    var dots = PathData()
    for pulse in session.pulses {
      dots.dot(layout.x(pulse.time), layout.angle(Shaft.degrees(of: pulse.value)))
    }
    let spacing = (layout.x(last.time) - layout.x(first.time)) / Double(session.pulses.count)
    let width = max(1, min(3.4, spacing * 0.9))
    arePulsesVisible = session.commanded.isEmpty || width >= Self.visiblePulseWidth
    canvas.dots(dots, width: width, class: "pulses")
  }

  private mutating func drawShaft() {
    // Without pulses nothing holds the shaft, so its angle has no meaning.
    guard let first = session.shaft.first, session.hasShaft else { return }
    let line = line(through: session.shaft)
    var area = line
    area.upright(to: layout.panel.bottom)
    area.across(to: layout.x(first.time))
    area.close()
    canvas.path(area, class: "shade")
    canvas.path(line, class: "shaft")
  }

  /// Draws the other servos, each in its own colour, with the shaft as a broad, pale line.
  private mutating func drawOtherServos() {
    for (index, servo) in session.others.enumerated() {
      let name = Self.styleClass(ofServo: index)
      if !servo.shaft.isEmpty { canvas.path(line(through: servo.shaft), class: "turning \(name)") }
      canvas.path(steps(servo.commanded), class: "another \(name)")
    }
  }

  static func styleClass(ofServo index: Int) -> String {
    let color = "servo-\(index % PlottedServo.colorCount + 1)"
    let dash = index / PlottedServo.colorCount
    return dash == 0 ? color : "\(color) dash-\(dash)"
  }

  private func line(through samples: [PlottedSession.Sample]) -> PathData {
    var line = PathData()
    guard let first = samples.first else { return line }
    line.move(layout.x(first.time), layout.angle(first.value))
    for sample in samples.dropFirst() {
      line.line(layout.x(sample.time), layout.angle(sample.value))
    }
    return line
  }

  /// A line that keeps each value until the next one. A restart interrupts it.
  private func steps(_ samples: [PlottedSession.Sample]) -> PathData {
    var path = PathData()
    var resets = session.resets[...]
    var previous: Instant?
    for sample in samples {
      let x = layout.x(sample.time)
      if let reset = resets.first, reset <= sample.time {
        if previous != nil { path.across(to: layout.x(reset)) }
        while let next = resets.first, next <= sample.time { resets.removeFirst() }
        previous = nil
      }
      if previous == nil {
        path.move(x, layout.angle(sample.value))
      } else {
        path.across(to: x)
        path.upright(to: layout.angle(sample.value))
      }
      previous = sample.time
    }
    if previous != nil { path.across(to: layout.x(resets.first ?? session.end)) }
    return path
  }

  /// Draws the tones along the panel's lower edge.
  mutating func drawTones() {
    var rows = Rows(count: 1)
    let y = layout.panel.bottom - 3
    for tone in session.tones {
      let start = layout.x(tone.start)
      let end = max(layout.x(tone.end), start + 0.1)
      canvas.line(start, y, end, y, class: "tone")
      let text = "♪ \(XMLText.number(tone.hertz, places: 1)) Hz"
      let width = TextStyle.limit.width(text)
      let x = max(layout.left, min(start, layout.right - width))
      guard rows.place(x...(x + width + 4)) != nil else { continue }
      canvas.write(text, at: x, y - 5, .limit)
    }
  }
}

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
