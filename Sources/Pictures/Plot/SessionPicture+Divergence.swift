import Judging
import Sketches
import Traces

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
