import Traces
import Turret
import Verification

/// A session as a self-contained SVG. The same session always gives the same text.
///
/// From top to bottom: the title and legend, a strip that shows what the sketch was doing, the
/// angles over time, the bytes as they arrived and their fates, and the time axis.
package struct SessionPicture: Sendable {
  let session: PlottedSession
  let layout: Layout
  var canvas = Canvas(width: Layout.width, height: Layout.height)

  private init(_ session: PlottedSession) {
    self.session = session
    layout = Layout(end: session.end)
  }

  /// The picture as the text of an SVG file.
  package static func svg(of session: PlottedSession) -> String {
    var picture = SessionPicture(session)
    picture.draw()
    return picture.canvas.text
  }

  private mutating func draw() {
    let size = [Layout.width, Layout.height].map { XMLText.number($0, places: 0) }
    canvas.open(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(size[0]) \(size[1])",
        "width": size[0], "height": size[1], "role": "img", "aria-labelledby": "title desc",
      ])
    canvas.element("title", ["id": "title"], content: title)
    canvas.element("desc", ["id": "desc"], content: summary)
    canvas.style(StyleSheet.text)
    drawGradient()
    canvas.rectangle(0, 0, Layout.width, Layout.height, radius: 10, class: "background")
    canvas.rectangle(
      layout.left, layout.strip.top, layout.right - layout.left,
      layout.panel.bottom - layout.strip.top, class: "panel")
    canvas.rectangle(
      layout.left, layout.lane.top, layout.right - layout.left,
      layout.lane.bottom - layout.lane.top, class: "panel")
    drawModes()
    drawAxes()
    drawAngles()
    drawTones()
    drawResets()
    drawBytes()
    drawLegends()
    drawDivergence()
    canvas.close("svg")
  }

  var title: String {
    if let title = session.title, !title.isEmpty { title } else { "A session" }
  }

  /// A description of the picture in words.
  private var summary: String {
    var parts = [
      session.subtitle, "\(XMLText.number(session.end.seconds, places: 6)) s",
      String(counting: session.commanded.count, "commanded angle"),
      String(counting: session.pulses.count, "pulse"),
    ]
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
    if session.isThinned { parts.append("more than is shown; the extremes are kept") }
    if let divergence = session.divergence { parts.append("diverges: \(divergence.message)") }
    return parts.joined(separator: "; ") + "."
  }

  private mutating func drawGradient() {
    canvas.open("defs")
    canvas.open("linearGradient", ["id": "shade", "x1": "0", "y1": "0", "x2": "0", "y2": "1"])
    canvas.element("stop", ["class": "stop", "offset": "0", "stop-opacity": "0.28"])
    canvas.element("stop", ["class": "stop", "offset": "1", "stop-opacity": "0.03"])
    canvas.close("linearGradient")
    canvas.close("defs")
  }
}
