import Sketches

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

  /// Begins the picture, with its title and its description. `name` distinguishes their elements
  /// from those of other pictures in the same page.
  mutating func openPicture(named name: String = "", title: String, description: String? = nil) {
    let size = [width, height].map { XMLText.number($0, places: 0) }
    open(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(size[0]) \(size[1])",
        "width": size[0], "height": size[1], "role": "img",
        "aria-labelledby": description == nil ? "\(name)title" : "\(name)title \(name)desc",
      ])
    element("title", ["id": "\(name)title"], content: title)
    if let description { element("desc", ["id": "\(name)desc"], content: description) }
  }

  mutating func open(_ name: String, _ attributes: Attributes = [:]) {
    tag(name, attributes)
    text += ">\n"
  }

  mutating func close(_ name: String) { text += "</\(name)>\n" }

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

  mutating func dots(_ path: PathData, width: Double, class name: String) {
    element("path", ["class": name, "stroke-width": short(width), "d": path.text])
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, class name: String) {
    var path = PathData()
    path.move(x1, y1)
    path.line(x2, y2)
    self.path(path, class: name)
  }

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
}

/// The `d` of an SVG path, in tenths of a pixel.
struct PathData {
  private(set) var text = ""

  var isEmpty: Bool { text.isEmpty }

  mutating func move(_ x: Double, _ y: Double) { text += "M\(short(x)) \(short(y))" }
  mutating func line(_ x: Double, _ y: Double) { text += "L\(short(x)) \(short(y))" }
  mutating func across(to x: Double) { text += "H\(short(x))" }
  mutating func upright(to y: Double) { text += "V\(short(y))" }
  mutating func close() { text += "Z" }

  /// Adds a dot, which is visible if the line has round ends.
  mutating func dot(_ x: Double, _ y: Double) {
    move(x, y)
    text += "h0"
  }
}

/// A length in tenths of a pixel.
private func short(_ value: Double) -> String { XMLText.number(value, places: 1) }

/// Formats text for XML, in particular SVG.
package enum XMLText {
  /// Returns a number in its shortest decimal form with at most this many places.
  package static func number(_ value: Double, places: Int) -> String {
    var power: Int64 = 1
    for _ in 0..<places { power *= 10 }
    let scaled = (value * Double(power)).rounded()
    guard scaled.isFinite, scaled.magnitude < 1e17 else { return "0" }
    let whole = Int64(scaled)
    let (units, fraction) = whole.magnitude.quotientAndRemainder(dividingBy: power.magnitude)
    var text = whole < 0 ? "-\(units)" : "\(units)"
    guard fraction > 0 else { return text }
    var digits = String(fraction, digits: places)
    while digits.last == "0" { digits.removeLast() }
    text += "." + digits
    return text
  }

  /// Escapes text for use between tags and in quoted attributes.
  ///
  /// Most control characters are not permitted in XML, so they are replaced by their control
  /// pictures. Characters that change the direction of text are replaced too, as they would
  /// rearrange what follows.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(shown(scalar))
      }
    }
    return result
  }

  /// Returns a byte in readable form: printable ASCII as it is, common control characters as in
  /// source code, anything else in hexadecimal. Control pictures would be too small to read, and
  /// few fonts have them.
  package static func byte(_ byte: UInt8) -> String {
    switch byte {
    case 0x5C: return "\\\\"
    case 0x21...0x7E: return String(UnicodeScalar(byte))
    case 0x0D: return "\\r"
    case 0x0A: return "\\n"
    case 0x09: return "\\t"
    case 0x20: return "␣"
    default: return "‹\(String(byte, radix: 16, digits: 2, uppercase: true))›"
    }
  }

  private static func shown(_ scalar: UnicodeScalar) -> UnicodeScalar {
    switch scalar.value {
    case 0..<0x20, 0x7F: picture(ofControl: UInt8(scalar.value))
    case 0x80..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: "\u{FFFD}"
    default: scalar
    }
  }

  private static func picture(ofControl byte: UInt8) -> UnicodeScalar {
    byte == 0x7F ? "\u{2421}" : UnicodeScalar(0x2400 + UInt32(byte)) ?? "\u{FFFD}"
  }
}
