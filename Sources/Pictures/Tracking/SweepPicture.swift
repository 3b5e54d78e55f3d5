/// What a sweep of a rig showed, as a self-contained SVG: a heat map of a figure over the first two
/// settings, with the best of the others for each.
package enum SweepPicture {
  private static let left = 120.0
  private static let top = 84.0

  /// - Parameters:
  ///   - rows: the settings of each session and its figure; less is better.
  ///   - names: the names of the settings, and `values` what each was set to.
  package static func svg(
    title: String, rows: [(values: [String], figure: Double?)], names: [String],
    values: [[String]], figure: String
  ) -> String {
    let across = values.first ?? []
    let down = values.count > 1 ? values[1] : [""]
    var best: [[Double?]] = down.map { _ in across.map { _ in nil } }
    for row in rows {
      guard let figure = row.figure, let x = across.firstIndex(of: row.values[0]),
        let y = values.count > 1 ? down.firstIndex(of: row.values[1]) : 0
      else { continue }
      best[y][x] = best[y][x].map { min($0, figure) } ?? figure
    }
    let cell = (width: max(34.0, min(90, 800 / Double(max(1, across.count)))), height: 34.0)
    let width = max(560, left + cell.width * Double(across.count) + 24)
    let height = top + cell.height * Double(down.count) + 62
    var canvas = Canvas(width: width, height: height)
    canvas.openPicture(title: title)
    canvas.style(StyleSheet.text + style)
    canvas.rectangle(0, 0, width, height, radius: 10, class: "background")
    canvas.write(TextStyle.title.fitted(title, to: width - 32), at: 16, 30, .title)
    let others = names.dropFirst(2)
    let note = others.isEmpty ? "" : "; the best of \(others.joined(separator: ", "))"
    canvas.write(TextStyle.subtitle.fitted(figure + note, to: width - 32), at: 16, 50, .subtitle)
    let all = best.flatMap { $0 }.compactMap { $0 }
    let (low, high) = (all.min() ?? 0, all.max() ?? 1)
    for (y, row) in best.enumerated() {
      let cellTop = top + cell.height * Double(y)
      canvas.write(down[y], at: left - 8, cellTop + cell.height / 2 + 4, .axis, anchor: .end)
      for (x, value) in row.enumerated() {
        let cellLeft = left + cell.width * Double(x)
        guard let value else { continue }
        let share = high > low ? (value - low) / (high - low) : 0
        canvas.element(
          "rect",
          [
            "class": "heat", "x": XMLText.number(cellLeft + 1, places: 1),
            "y": XMLText.number(cellTop + 1, places: 1),
            "width": XMLText.number(cell.width - 2, places: 1),
            "height": XMLText.number(cell.height - 2, places: 1),
            "fill-opacity": XMLText.number(0.08 + 0.72 * share, places: 2),
          ])
        canvas.write(
          XMLText.number(value, places: 1), at: cellLeft + cell.width / 2,
          cellTop + cell.height / 2 + 4, .axis, anchor: .middle, class: "cell")
      }
    }
    let bottom = top + cell.height * Double(down.count)
    for (x, value) in across.enumerated() {
      canvas.write(
        value, at: left + cell.width * (Double(x) + 0.5), bottom + 16, .axis, anchor: .middle)
    }
    canvas.write(
      names.first ?? "", at: left + cell.width * Double(across.count) / 2, bottom + 36, .legend,
      anchor: .middle)
    if names.count > 1 { canvas.write(names[1], at: 16, top - 10, .legend) }
    canvas.close("svg")
    return canvas.text
  }

  private static let style = """
    .heat { fill: \(Palette.light.divergence) }
    .cell { fill: \(Palette.light.ink) }
    @media (prefers-color-scheme: dark) {
    .heat { fill: \(Palette.dark.divergence) }
    .cell { fill: \(Palette.dark.ink) }
    }

    """
}
