import Turret

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
