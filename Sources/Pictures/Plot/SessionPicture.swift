import Judging
import Sketches
import Traces

/// A session as a self-contained SVG. The same session always gives the same text.
///
/// From top to bottom: the title and legend, a strip that shows what the sketch was doing, the
/// angles over time, the bytes as they arrived and their fates, and the time axis.
package struct SessionPicture: Sendable {
  /// The width of the picture's panel in pixels. Finer detail cannot be seen.
  package static let columnCount = Int(Layout.right - Layout.left)

  let session: PlottedSession
  let layout: Layout
  let titleLines: [String]
  /// The lines that say what is wrong with the recording.
  let doubtLines: [String]
  let crowds: [Crowd]
  /// The bands that are wide enough to be seen, in order of time.
  let bands: [PlottedSession.Band]
  /// Whether the dots of pulses can be seen.
  var arePulsesVisible = false
  var canvas: Canvas

  private init(_ session: PlottedSession) {
    self.session = session
    titleLines = TextStyle.title.wrapped(
      Self.title(of: session), to: Layout.titleWidth, linesMax: Layout.titleLinesMax)
    doubtLines =
      session.doubt.map {
        TextStyle.flag.wrapped($0, to: Layout.titleWidth, linesMax: Layout.titleLinesMax)
      } ?? []
    let layout = Layout(
      from: session.start, to: session.end, titleLines: titleLines.count + doubtLines.count,
      servoRows: session.hasServoRows ? Self.servoRows(session.others).count : 0,
      levels: session.levels.count)
    let bands = session.modes.filter { $0.isVisible(in: layout) }
    let others = bands.filter { $0.mode.isIndependent && $0.width(in: layout) >= 8 }
    let crowds = Crowd.find(in: Self.onAxis(session), outside: others, layout)
    self.layout = layout
    self.crowds = crowds
    self.bands = bands.flatMap { band in
      if band.mode.isIndependent { return [band] }
      return band.outside(crowds, layout)
    }
    canvas = Canvas(width: Layout.width, height: layout.height)
  }

  /// The bytes that arrive before the end. A byte still on the line then is beyond the axis.
  static func onAxis(_ session: PlottedSession) -> ArraySlice<Ledger.Entry> {
    session.bytes.prefix { $0.arrived <= session.end }
  }

  /// The picture as the text of an SVG file.
  package static func svg(of session: PlottedSession) -> String {
    var picture = SessionPicture(session)
    picture.draw(named: "")
    return picture.canvas.text
  }

  /// The picture as an element of a page, which has the style sheet and the definitions. `name`
  /// distinguishes the elements of this picture from those of the page's other pictures.
  static func element(of session: PlottedSession, named name: String) -> String {
    var picture = SessionPicture(session)
    picture.draw(named: name, hasDefinitions: false)
    return picture.canvas.text
  }

  /// The definitions that the pictures of a page share.
  static var definitions: String {
    var canvas = Canvas(width: 0, height: 0)
    draw(definitions: &canvas, hasCrowds: true)
    return canvas.text
  }

  private mutating func draw(named name: String, hasDefinitions: Bool = true) {
    canvas.openPicture(named: name, title: Self.title(of: session), description: summary)
    if hasDefinitions {
      canvas.style(
        StyleSheet.text + (session.hasServoRows ? StyleSheet.dashes : "")
          + (session.levels.isEmpty ? "" : StyleSheet.levels))
      Self.draw(definitions: &canvas, hasCrowds: !crowds.isEmpty)
    }
    canvas.rectangle(0, 0, Layout.width, layout.height, radius: 10, class: "background")
    canvas.rectangle(
      layout.left, layout.strip.top, layout.right - layout.left,
      layout.panel.bottom - layout.strip.top, class: "panel")
    canvas.rectangle(
      layout.left, layout.lane.top, layout.right - layout.left,
      layout.lane.bottom - layout.lane.top, class: "panel")
    drawModes()
    drawCrowds()
    drawAxes()
    drawAngles()
    drawTones()
    drawLevels()
    drawResets()
    drawBytes()
    drawLegends()
    drawDivergence()
    canvas.close("svg")
  }

  private static func title(of session: PlottedSession) -> String {
    if let title = session.title, !title.isEmpty { title } else { "A session" }
  }

  private var summary: String {
    var parts = [
      session.subtitle,
      "\(XMLText.number((session.end - session.start).seconds, places: 6)) s",
      String(counting: session.commanded.count, "commanded angle"),
      String(counting: session.pulses.count, "pulse"),
    ]
    for servo in session.others {
      let count = String(counting: servo.commanded.count, "commanded angle")
      parts.append("\(count) on \(servo.label)")
    }
    if session.undrawnServoCount > 0 {
      parts.append(String(counting: session.undrawnServoCount, "more servo") + " not drawn")
    }
    if !session.levels.isEmpty {
      parts.append("levels of \(session.levels.map { $0.name }.joined(separator: ", "))")
    }
    if session.undrawnLevelCount > 0 {
      parts.append(String(counting: session.undrawnLevelCount, "more level") + " not drawn")
    }
    let bytes = session.bytes
    var kinds: [(caption: String, count: Int)] = []
    for fate in Fate.allCases {
      let count = bytes.count { $0.fate == fate }
      guard count > 0 else { continue }
      if let last = kinds.last, last.caption == fate.caption {
        kinds[kinds.count - 1].count += count
      } else {
        kinds.append((fate.caption, count))
      }
    }
    let fates = kinds.map { "\($0.count) \($0.caption)" }.joined(separator: ", ")
    parts.append(String(counting: bytes.count, "byte") + (fates.isEmpty ? "" : " (\(fates))"))
    if let end = session.bytesEnd {
      parts.append("bytes from \(String(shortest: end - .zero)) s on are not drawn")
    }
    if session.isThinned { parts.append("more than is shown; the extremes are kept") }
    if let worlds = session.worlds { parts.append("also in \(worlds)") }
    if let doubt = session.doubt { parts.insert(doubt, at: 0) }
    if let divergence = session.divergence { parts.append("diverges: \(divergence.message)") }
    return parts.joined(separator: "; ") + "."
  }

  /// Adds the gradient under the shaft and the pattern of crowds.
  private static func draw(definitions canvas: inout Canvas, hasCrowds: Bool) {
    canvas.open("defs")
    canvas.open("linearGradient", ["id": "shade", "x1": "0", "y1": "0", "x2": "0", "y2": "1"])
    canvas.element("stop", ["class": "stop", "offset": "0", "stop-opacity": "0.28"])
    canvas.element("stop", ["class": "stop", "offset": "1", "stop-opacity": "0.03"])
    canvas.close("linearGradient")
    if hasCrowds {
      canvas.open(
        "pattern",
        ["id": "crowd", "width": "4", "height": "4", "patternUnits": "userSpaceOnUse"])
      canvas.element("path", ["class": "crowd-line", "d": "M1 0V4"])
      canvas.close("pattern")
    }
    canvas.close("defs")
  }
}

extension SessionPicture {
  /// Draws a line where the device diverged from the trace, and a card with an explanation.
  mutating func drawDivergence() {
    guard let divergence = session.divergence else { return }
    guard divergence.time >= session.start else { return pointToDivergence("←", divergence) }
    guard divergence.time <= session.end || session.isWhole else {
      return pointToDivergence("→", divergence)
    }
    let x = layout.x(divergence.time)
    canvas.line(x, layout.strip.top, x, layout.lane.bottom, class: "divergence")

    let lines = Self.balanced(divergence.message, to: 330, .flagText)
    let heading = "first divergence, trace line \(divergence.line)"
    let width =
      max(TextStyle.flag.width(heading), lines.map(TextStyle.flagText.width).max() ?? 0) + 20
    let height = 26 + Double(lines.count) * 15
    let isLeft = x + 10 + width > layout.right
    let left = isLeft ? max(layout.left, x - 10 - width) : x + 10
    let top = cardTop(from: left, to: left + width, height: height)

    var pointer = PathData()
    pointer.move(x, top + 13)
    pointer.across(to: isLeft ? left + width : left)
    canvas.path(pointer, class: "divergence")
    canvas.rectangle(left, top, width, height, radius: 4, class: "card")
    canvas.write(heading, at: left + 10, top + 17, .flag)
    for (index, line) in lines.enumerated() {
      canvas.write(line, at: left + 10, top + 34 + Double(index) * 15, .flagText)
    }
  }

  /// Mentions a divergence in a part of the session that the picture does not show.
  private mutating func pointToDivergence(_ arrow: String, _ divergence: Divergence) {
    let text = "first divergence at \(XMLText.number(divergence.time.seconds, places: 6)) s"
    let isBefore = arrow == "←"
    canvas.write(
      isBefore ? "\(arrow) \(text)" : "\(text) \(arrow)",
      at: isBefore ? layout.left + 6 : layout.right - 6, layout.panel.top + 15, .flag,
      anchor: isBefore ? .start : .end)
  }

  /// The position of the card that hides the least of the commanded angle: top, bottom or middle.
  private func cardTop(from left: Double, to right: Double, height: Double) -> Double {
    let high = layout.panel.top + 8
    let low = layout.panel.bottom - height - 16
    func hidden(_ top: Double) -> Double {
      var hidden = 0.0
      for (index, sample) in session.commanded.enumerated() {
        let y = layout.angle(sample.value)
        guard y > top - 6, y < top + height + 6 else { continue }
        let isLast = index + 1 == session.commanded.count
        let next = isLast ? session.end : session.commanded[index + 1].time
        let start = max(left, layout.x(sample.time))
        hidden += max(0, min(right, layout.x(next)) - start)
      }
      return hidden
    }
    return [high, low, (high + low) / 2].min { hidden($0) < hidden($1) } ?? high
  }

  /// Wraps text into as few lines as the width allows, of roughly equal length.
  private static func balanced(_ text: String, to width: Double, _ style: TextStyle) -> [String] {
    var lines = style.wrapped(text, to: width, linesMax: 4)
    for narrower in stride(from: width - 10, through: width / 2, by: -10) {
      let attempt = style.wrapped(text, to: narrower, linesMax: 4)
      guard attempt.count == lines.count, !attempt.contains(where: { $0.hasSuffix("…") }) else {
        break
      }
      lines = attempt
    }
    return lines
  }
}
