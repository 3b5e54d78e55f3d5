import Sketches

/// The picture's CSS. Colours are plain values, defined once for light and once for dark
/// backgrounds. Custom properties are not used, because many programs that display or convert SVG
/// do not support them and would draw everything black.
enum StyleSheet {
  static let text: String = {
    var text = """
      text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, \
      sans-serif }
      .t-byte { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", \
      monospace }
      .grid, .axis, .limits, .reset { fill: none; stroke-width: 1 }
      .limits { stroke-dasharray: 3 4; opacity: 0.6 }
      .reset { stroke-dasharray: 1 3; stroke-linecap: round; stroke-width: 1.5 }
      .crowd { fill: url(#crowd) }
      .crowd-line { fill: none; stroke-width: 1.4; opacity: 0.5 }
      .commanded, .expected { fill: none; stroke-width: 1.6; stroke-linejoin: round }
      .expected { stroke-dasharray: 5 3; opacity: 0.55 }
      .another { fill: none; stroke-width: 1.6; stroke-linejoin: round }
      .turning { fill: none; stroke-width: 4; stroke-linejoin: round; stroke-linecap: round; \
      opacity: 0.35 }
      .shaft { fill: none; stroke-width: 4; stroke-linejoin: round; stroke-linecap: round; \
      opacity: 0.9 }
      .shade { fill: url(#shade) }
      .pulses { fill: none; stroke-linecap: round; opacity: 0.8 }
      .band { opacity: 0.1 }
      .strip { opacity: 0.3 }
      .tick { fill: none; stroke: currentColor; stroke-width: 1.1 }
      .mark { stroke: currentColor; stroke-width: 1.4; stroke-linejoin: round }
      .solid, .t-call, .t-byte, tspan { fill: currentColor }
      .open, .hit { fill: none }
      .hit { pointer-events: all }
      .tone { fill: none; stroke-width: 3; stroke-linecap: round }
      .divergence { fill: none; stroke-width: 1.8 }
      .other { opacity: 0.22 }
      .when { fill: none; stroke-width: 2; opacity: 0.6 }

      """
    for style in TextStyle.allCases {
      text += ".\(style.rawValue) { font-size: \(XMLText.number(style.size, places: 1))px"
      if style.weight != 400 { text += "; font-weight: \(style.weight)" }
      text += " }\n"
    }
    text += rules(.light)
    text += "@media (prefers-color-scheme: dark) {\n\(rules(.dark))}\n"
    return text
  }()

  /// The dashes of further servos, which few pictures have.
  static let dashes = """
    .dash-1 { stroke-dasharray: 7 3 }
    .dash-2 { stroke-dasharray: 2 3 }
    .dash-3 { stroke-dasharray: 9 3 2 3 }
    .dash-4 { stroke-dasharray: 16 4 }

    """

  /// The rules of the pins' levels, which few pictures have.
  static let levels = """
    .level { fill: none; stroke-width: 1.4; stroke-linejoin: round }
    .high { opacity: 0.3 }
    .level { stroke: \(Palette.light.tone) }
    .high { fill: \(Palette.light.tone) }
    @media (prefers-color-scheme: dark) {
    .level { stroke: \(Palette.dark.tone) }
    .high { fill: \(Palette.dark.tone) }
    }

    """

  private static func rules(_ palette: Palette) -> String {
    var text = """
      .background { fill: \(palette.background) }
      .panel { fill: \(palette.panel) }
      .t-title, .t-mode, .t-note { fill: \(palette.ink) }
      .t-sub, .t-axis, .t-limit, .t-legend { fill: \(palette.muted) }
      .grid { stroke: \(palette.grid) }
      .axis { stroke: \(palette.axis) }
      .limits, .reset { stroke: \(palette.muted) }
      .commanded, .crowd-line { stroke: \(palette.commanded) }
      .other { fill: \(palette.commanded) }
      .when { stroke: \(palette.muted) }
      .expected { stroke: \(palette.divergence) }
      .pulses { stroke: \(palette.pulse) }
      .shaft { stroke: \(palette.shaft) }
      .stop { stop-color: \(palette.shaft) }
      .tone { stroke: \(palette.tone) }
      .divergence { stroke: \(palette.divergence) }
      .card { fill: \(palette.background); stroke: \(palette.divergence) }
      .t-flag { fill: \(palette.divergence) }
      .note { color: \(palette.muted) }

      """
    for (index, color) in palette.servos.enumerated() {
      text += ".\(SessionPicture.styleClass(ofServo: index)) { stroke: \(color) }\n"
    }
    for fate in Fate.allCases where fate.styleClass == "f-\(fate.rawValue)" {
      text += ".\(fate.styleClass) { color: \(palette.color(of: fate)) }\n"
    }
    for mode in ModeBand.allCases {
      text += ".\(mode.styleClass) { fill: \(palette.color(of: mode)) }\n"
    }
    return text
  }
}

/// The kinds of text in a picture. The raw value is the class in the style sheet.
enum TextStyle: String, CaseIterable {
  case title = "t-title"
  case subtitle = "t-sub"
  case axis = "t-axis"
  case limit = "t-limit"
  case mode = "t-mode"
  case legend = "t-legend"
  case byte = "t-byte"
  case callout = "t-call"
  case flag = "t-flag"
  case flagText = "t-note"

  /// The font size in pixels.
  var size: Double {
    switch self {
    case .title: 20
    case .subtitle: 12.5
    case .axis, .byte, .flagText: 11
    case .limit: 9.5
    case .mode, .callout: 10.5
    case .legend, .flag: 11.5
    }
  }

  var weight: Int {
    switch self {
    case .title: 650
    case .flag, .callout, .mode: 600
    case .subtitle, .axis, .limit, .legend, .byte, .flagText: 400
    }
  }

  var isMonospaced: Bool { self == .byte }

  /// The maximum width of a text in common fonts, in pixels. A picture cannot query the viewer's
  /// font.
  func width(_ text: String) -> Double {
    var ems = 0.0
    for scalar in text.unicodeScalars {
      if isMonospaced {
        ems += scalar.value < 0x2500 ? 0.61 : 1.1
        continue
      }
      switch scalar {
      case "i", "j", "l", "t", "f", "r", " ", ".", ",", ":", ";", "'", "|", "!", "(", ")", "·", "-":
        ems += 0.42
      case "m", "w", "M", "W", "@", "%", "…", "→", "↑", "↓": ems += 1
      case "A"..."Z": ems += 0.73
      default: ems += scalar.value < 0x1100 ? 0.62 : 1.1
      }
    }
    return ems * size * (weight > 500 ? 1.06 : 1)
  }

  /// The text, truncated with an ellipsis if it is wider than `width`.
  func fitted(_ text: String, to width: Double) -> String {
    guard self.width(text) > width else { return text }
    var cut = text
    while !cut.isEmpty, self.width(cut + "…") > width { cut.removeLast() }
    while cut.last == " " { cut.removeLast() }
    return cut + "…"
  }

  /// Wraps text into at most `linesMax` lines of at most `width`, at spaces if possible, and
  /// replaces the rest by an ellipsis.
  func wrapped(_ text: String, to width: Double, linesMax: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, self.width(last + " " + word) <= width {
        lines[lines.count - 1] = last + " " + word
        continue
      }
      var rest = String(word)
      while self.width(rest) > width, lines.count <= linesMax {
        var piece = fitted(rest, to: width)
        piece.removeLast()
        guard !piece.isEmpty else { break }
        lines.append(piece)
        rest.removeFirst(piece.count)
      }
      lines.append(rest)
      if lines.count > linesMax { break }
    }
    guard lines.count > linesMax else { return lines }
    let last = lines[linesMax - 1] + " " + lines[linesMax]
    return lines.prefix(linesMax - 1) + [fitted(last + " …", to: width)]
  }
}

/// The colours of a picture on a light or a dark background. The hues are Okabe and Ito's, which
/// can be distinguished with any colour vision, made darker or lighter until text in them is
/// legible.
struct Palette {
  var background: String
  var panel: String
  var ink: String
  var muted: String
  var grid: String
  var axis: String
  var commanded: String
  var pulse: String
  var shaft: String
  var divergence: String
  /// Swallowed and skipped bytes.
  var eaten: String
  /// Junk, and bytes that a purge discarded.
  var purged: String
  var abandoned: String
  var lost: String
  var rising: String
  var falling: String
  var tone: String
  /// The other servos, in the order of their pins.
  var servos: [String]

  static let light = Palette(
    background: "#ffffff", panel: "#fafbfc", ink: "#1b2430", muted: "#5b6675", grid: "#e3e8ee",
    axis: "#aab4c0", commanded: "#0067b1", pulse: "#1b2430", shaft: "#e69200",
    divergence: "#c8102e", eaten: "#b84a00", purged: "#9b3f86", abandoned: "#7a6200",
    lost: "#c8102e", rising: "#56b4e9", falling: "#009e73", tone: "#008060",
    servos: ["#9b3f86", "#008060", "#7a6200", "#b84a00"])

  static let dark = Palette(
    background: "#0d1117", panel: "#11171f", ink: "#e8edf3", muted: "#98a4b3", grid: "#222b36",
    axis: "#465362", commanded: "#62b8f5", pulse: "#e8edf3", shaft: "#f5ab35",
    divergence: "#ff6b6b", eaten: "#ff9a57", purged: "#e092cc", abandoned: "#d8c04a",
    lost: "#ff6b6b", rising: "#56b4e9", falling: "#1fc998", tone: "#3ddbb0",
    servos: ["#e092cc", "#3ddbb0", "#d8c04a", "#ff9a57"])

  func color(of fate: Fate) -> String {
    switch fate {
    case .letter, .digit, .terminator, .taken, .arrived: ink
    case .swallowed, .skipped: eaten
    case .junk, .purged: purged
    case .abandoned: abandoned
    case .ringFull, .uartOverrun, .parity, .booting, .cleared, .wireLost, .adapterLost: lost
    case .waiting: muted
    }
  }

  func color(of mode: ModeBand) -> String {
    switch mode {
    case .startingUp: muted
    case .idle: "none"
    case .scanningUp: rising
    case .scanningDown: falling
    case .readingNumber: eaten
    case .purging: purged
    case .sounding: tone
    }
  }
}
