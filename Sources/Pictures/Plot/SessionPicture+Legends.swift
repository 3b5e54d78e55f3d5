import Sketches
import Traces

extension SessionPicture {
  /// Draws the title and the legends of the lines and of the bytes' shapes.
  mutating func drawLegends() {
    let room = layout.right - layout.left
    for (index, line) in titleLines.enumerated() {
      canvas.write(
        line, at: layout.left, layout.titleLine + Double(index) * Layout.titleLineHeight, .title)
    }
    for (index, line) in doubtLines.enumerated() {
      let row = Double(titleLines.count + index)
      canvas.write(line, at: layout.left, layout.titleLine + row * Layout.titleLineHeight, .flag)
    }
    let used = drawLines()
    canvas.write(
      TextStyle.subtitle.fitted(session.subtitle, to: room - used - 20), at: layout.left,
      layout.subtitleLine, .subtitle)
    drawFates()
  }

  /// Draws the legend of the lines, right-aligned. Returns its width.
  private mutating func drawLines() -> Double {
    var names: [String] = []
    if !session.commanded.isEmpty { names.append("commanded") }
    if arePulsesVisible { names.append("pulses") }
    if session.hasShaft && !session.shaft.isEmpty { names.append("shaft") }
    if session.showsExpected { names.append("expected") }
    if showsBand { names.append("other") }
    var captions = ["limits": "sweep limits", "other": "other timings"]
    if !session.others.isEmpty {
      // Otherwise it would not be clear whose these lines are.
      for name in ["commanded", "pulses", "shaft"] {
        captions[name] = "\(session.ownLabel) \(name)"
      }
    }
    if session.hasServoRows {
      drawServos()
    } else {
      for (index, servo) in session.others.enumerated() {
        let name = "another " + Self.styleClass(ofServo: index)
        names.append(name)
        captions[name] = servo.label
      }
    }
    if session.undrawnServoCount > 0 {
      names.append("undrawn")
      captions["undrawn"] =
        "+" + String(counting: session.undrawnServoCount, "servo") + " not drawn"
    }
    if session.scan != nil { names.append("limits") }
    let gap = 18.0
    // What is not drawn has no line.
    let glyphs = names.map { $0 == "undrawn" ? -6 : 24.0 }
    let widths = zip(names, glyphs).map { $1 + 6 + TextStyle.legend.width(captions[$0] ?? $0) }
    let total = widths.reduce(0, +) + gap * Double(max(0, names.count - 1))
    var x = layout.right - total
    let y = layout.subtitleLine - 4
    for (index, name) in names.enumerated() {
      let (glyph, width) = (glyphs[index], widths[index])
      var path = PathData()
      switch name {
      case "commanded", "expected",
        _ where name.hasPrefix("another"):
        path.move(x, y + 4)
        path.across(to: x + glyph / 2)
        path.upright(to: y - 4)
        path.across(to: x + glyph)
      case "pulses":
        for part in 0..<4 { path.dot(x + 3 + Double(part) * 6, y) }
        canvas.dots(path, width: 2.4, class: name)
        path = PathData()
      case "other":
        path.move(x, y - 5)
        path.across(to: x + glyph)
        path.upright(to: y + 5)
        path.across(to: x)
        path.close()
      case "undrawn": break
      default:
        path.move(x + 1, y)
        path.across(to: x + glyph - 1)
      }
      if name != "undrawn" { canvas.path(path, class: name) }
      canvas.write(captions[name] ?? name, at: x + glyph + 6, layout.subtitleLine, .legend)
      x += width + gap
    }
    return total
  }

  private static let servoGlyph = 24.0
  private static let servoGap = 18.0

  private static func width(of servo: PlottedServo) -> Double {
    servoGlyph + 6 + TextStyle.legend.width(servo.label) + servoGap
  }

  /// The rows of the legend of the other servos, each as long as the picture is wide, by indices.
  static func servoRows(_ servos: [PlottedServo]) -> [[Int]] {
    var rows: [[Int]] = []
    var room = 0.0
    for (index, servo) in servos.enumerated() {
      let width = width(of: servo)
      if rows.isEmpty || width > room {
        rows.append([])
        room = Layout.right - Layout.left
      }
      rows[rows.count - 1].append(index)
      room -= width
    }
    return rows
  }

  /// Draws the legend of many servos, in rows below the subtitle.
  private mutating func drawServos() {
    for (row, line) in zip(Self.servoRows(session.others), layout.servoLines) {
      var x = layout.left
      for index in row {
        var path = PathData()
        path.move(x, line - 4)
        path.across(to: x + Self.servoGlyph)
        canvas.path(path, class: "another " + Self.styleClass(ofServo: index))
        canvas.write(session.others[index].label, at: x + Self.servoGlyph + 6, line, .legend)
        x += Self.width(of: session.others[index])
      }
    }
  }

  /// Draws the legend of the byte shapes that occur.
  private mutating func drawFates() {
    var x = layout.left
    let y = layout.legendLine - 4
    var shown: Set<String> = []
    let present = Set(Self.onAxis(session).map { $0.fate })
    for fate in Fate.allCases where present.contains(fate) {
      guard shown.insert(fate.caption).inserted else { continue }
      let width = 14 + TextStyle.legend.width(fate.caption)
      guard x + width < layout.right else { break }
      var tick = PathData()
      tick.move(x + 4, y - 4)
      tick.upright(to: y + 6)
      canvas.path(tick, class: "tick \(fate.styleClass)")
      var mark = PathData()
      fate.marker.draw(at: x + 4, y - 4, in: &mark)
      canvas.path(mark, class: "\(fate.marker.styleClass) \(fate.styleClass)")
      canvas.write(fate.caption, at: x + 14, layout.legendLine, .legend)
      x += width + 18
    }
    drawModeNames(from: x)
  }

  /// Draws, on the right, the names of the modes whose bands are too narrow for a name.
  private mutating func drawModeNames(from start: Double) {
    var x = layout.right
    for mode in ModeBand.allCases where mode != .idle {
      let bands = bands.filter { $0.mode == mode }
      guard !bands.isEmpty, !bands.contains(where: { bandName($0) == mode.rawValue }) else {
        continue
      }
      let width = TextStyle.legend.width(mode.rawValue)
      guard x - width - 20 > start else { break }
      x -= width + 20
      canvas.write(mode.rawValue, at: x + 19, layout.legendLine, .legend)
      canvas.rectangle(x, layout.legendLine - 9, 14, 10, class: "strip \(mode.styleClass)")
      x -= 16
    }
    if !crowds.isEmpty, !crowds.contains(where: { crowdName($0) == $0.name }) {
      let name = "many commands"
      let width = TextStyle.legend.width(name)
      if x - width - 20 > start {
        x -= width + 20
        canvas.write(name, at: x + 19, layout.legendLine, .legend)
        canvas.rectangle(x, layout.legendLine - 9, 14, 10, class: "crowd")
        x -= 16
      }
    }
    if let end = session.bytesEnd {
      let length: Interval = end - .zero
      let seconds = XMLText.number(Double(length.nanoseconds) / 1e9, places: 1)
      let note = "bytes from \(seconds) s on are not drawn: there are too many"
      canvas.write(note, at: x, layout.legendLine, .legend, anchor: .end)
      x -= TextStyle.legend.width(note) + 20
    }
    let note = "more than can be shown: extremes only"
    if session.isThinned, x - TextStyle.legend.width(note) > start {
      canvas.write(note, at: x, layout.legendLine, .legend, anchor: .end)
    }
  }
}
