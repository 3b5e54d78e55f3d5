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
