/// Writes SVG elements and escapes all text in them.
struct Canvas {
  enum Anchor: String {
    case start, middle, end
  }

  typealias Attributes = KeyValuePairs<String, String>

  let width: Double
  let height: Double
  private(set) var text = ""

  /// The minimum distance of text from the picture's edges.
  private static let edge = 6.0

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  mutating func open(_ name: String, _ attributes: Attributes = [:]) {
    tag(name, attributes)
    text += ">\n"
  }

  mutating func close(_ name: String) { text += "</\(name)>\n" }

  /// Adds an element, with or without text.
  mutating func element(_ name: String, _ attributes: Attributes = [:], content: String? = nil) {
    tag(name, attributes)
    if let content {
      text += ">\(XMLText.escaped(content))</\(name)>\n"
    } else {
      text += "/>\n"
    }
  }

  /// Adds the style sheet, which must not be escaped.
  mutating func style(_ sheet: String) { text += "<style>\n\(sheet)</style>\n" }

  mutating func path(_ path: PathData, class name: String) {
    guard !path.isEmpty else { return }
    element("path", ["class": name, "d": path.text])
  }

  /// Adds a path as dots of this width.
  mutating func dots(_ path: PathData, width: Double, class name: String) {
    element("path", ["class": name, "stroke-width": short(width), "d": path.text])
  }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, class name: String
  ) {
    var path = PathData()
    path.move(x1, y1)
    path.line(x2, y2)
    self.path(path, class: name)
  }

  /// Adds a rectangle, optionally with a tooltip.
  mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, radius: Double = 0,
    class name: String, tooltip: String? = nil
  ) {
    tag(
      "rect",
      [
        "class": name, "x": short(x), "y": short(y), "width": short(width),
        "height": short(height), "rx": short(radius),
      ])
    if let tooltip {
      text += "><title>\(XMLText.escaped(tooltip))</title></rect>\n"
    } else {
      text += "/>\n"
    }
  }

  /// Adds a line of text, moved inwards if it would extend past the edge of the picture.
  mutating func write(
    _ string: String, at x: Double, _ y: Double, _ style: TextStyle, anchor: Anchor = .start,
    class name: String? = nil
  ) {
    write([(string, nil)], at: x, y, style, anchor: anchor, class: name)
  }

  /// Adds a line of text made of runs with a class each.
  mutating func write(
    _ runs: [(text: String, class: String?)], at x: Double, _ y: Double, _ style: TextStyle,
    anchor: Anchor = .start, class name: String? = nil
  ) {
    let width = runs.reduce(0) { $0 + style.width($1.text) }
    let before =
      switch anchor {
      case .start: 0.0
      case .middle: width / 2
      case .end: width
      }
    let inside = max(Self.edge + before, min(x, self.width - Self.edge - width + before))
    tag(
      "text",
      [
        "class": name.map { "\(style.rawValue) \($0)" } ?? style.rawValue,
        "x": short(inside), "y": short(y), "text-anchor": anchor.rawValue,
      ])
    text += ">"
    for run in runs {
      let escaped = XMLText.escaped(run.text)
      text += run.class.map { "<tspan class=\"\($0)\">\(escaped)</tspan>" } ?? escaped
    }
    text += "</text>\n"
  }

  private mutating func tag(_ name: String, _ attributes: Attributes) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(XMLText.escaped(value))\"" }
  }

  private func short(_ value: Double) -> String { XMLText.number(value, places: 1) }
}
