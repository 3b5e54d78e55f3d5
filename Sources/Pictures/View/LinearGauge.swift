/// A scale from 0 to 180 degrees in three lines: the commanded angle above it, the shaft below.
struct LinearGauge {
  var commanded: Double?
  var shaft: Double?

  static let rows = 3

  func draw(on canvas: inout ScreenCanvas, in area: ScreenArea) {
    let left = "0 "
    let right = " 180"
    let cells = area.columns - left.count - right.count
    guard area.rows >= Self.rows, cells >= 7 else { return }
    let here = shaft.map { cell($0, cells) }
    let there = commanded.map { cell($0, cells) }
    let ticks = Set(
      stride(from: 0.0, through: 180, by: cells >= 37 ? 30 : 90).map { cell($0, cells) })
    var scale: [ScreenRun] = [ScreenRun(left, .faint)]
    for index in 0..<cells {
      let glyph =
        switch index {
        case 0: "├"
        case cells - 1: "┤"
        default: ticks.contains(index) ? "┼" : "─"
        }
      // The remaining movement of the shaft.
      let isAhead =
        if let here, let there { (min(here, there)...max(here, there)).contains(index) } else {
          false
        }
      scale.append(isAhead && here != there ? ScreenRun("━", .commanded) : ScreenRun(glyph, .faint))
    }
    scale.append(ScreenRun(right, .faint))
    canvas.put(scale, in: area, line: 1)
    if let there { canvas.put("▼", .commanded, in: area, at: left.count + there) }
    if let here { canvas.put("▲", .shaft, in: area, line: 2, at: left.count + here) }
  }

  private func cell(_ degrees: Double, _ cells: Int) -> Int {
    guard degrees.isFinite else { return 0 }
    return Int((min(max(degrees, 0), 180) / 180 * Double(cells - 1)).rounded())
  }
}
