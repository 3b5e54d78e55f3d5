/// A screen of cells that can be drawn on and then read as lines. Anything outside is ignored, so
/// no line is ever wider than the screen.
struct ScreenCanvas {
  let size: ScreenSize
  let glyphs: GlyphSet
  private var scalars: [Unicode.Scalar]
  private var styles: [ScreenStyle]

  init(_ size: ScreenSize, _ glyphs: GlyphSet) {
    self.size = ScreenSize(columns: max(0, size.columns), rows: max(0, size.rows))
    self.glyphs = glyphs
    let count = self.size.columns * self.size.rows
    scalars = Array(repeating: " ", count: count)
    styles = Array(repeating: .plain, count: count)
  }

  var area: ScreenArea {
    ScreenArea(row: 0, column: 0, columns: size.columns, rows: size.rows)
  }

  /// Writes text on a line of an area, starting at one of its columns. If the text does not fit,
  /// its last cell shows that.
  mutating func put(
    _ runs: [ScreenRun], in area: ScreenArea, line: Int = 0, at start: Int = 0
  ) {
    guard line >= 0, line < area.rows, start < area.columns else { return }
    let isCut = start + runs.width > area.columns
    var column = start
    for run in runs {
      for scalar in run.text.unicodeScalars {
        guard column < area.columns else { return }
        let isLast = isCut && column == area.columns - 1
        set(
          glyphs.shown(isLast ? "…" : scalar), run.style, row: area.row + line,
          column: area.column + column)
        column += 1
      }
    }
  }

  mutating func put(
    _ text: String, _ style: ScreenStyle = .plain, in area: ScreenArea, line: Int = 0,
    at start: Int = 0
  ) {
    put([ScreenRun(text, style)], in: area, line: line, at: start)
  }

  /// Draws a dot. A cell has two dots across and four down, and takes the style of the last dot
  /// drawn. In ASCII the whole cell becomes `mark`.
  mutating func dot(x: Int, y: Int, _ style: ScreenStyle, mark: Unicode.Scalar, in area: ScreenArea)
  {
    guard x >= 0, y >= 0, x / 2 < area.columns, y / 4 < area.rows else { return }
    let row = area.row + y / 4
    let column = area.column + x / 2
    guard glyphs == .unicode else { return set(mark, style, row: row, column: column) }
    guard row < size.rows, column < size.columns else { return }
    let before = scalars[row * size.columns + column].value
    let bits = (0x2800...0x28FF).contains(before) ? before : 0x2800
    let bit = Self.bits[y % 4 * 2 + x % 2]
    set(Unicode.Scalar(bits | bit) ?? " ", style, row: row, column: column)
  }

  /// The bit of a Braille pattern for each dot of a cell, row by row (Unicode, chapter 21).
  private static let bits: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

  private mutating func set(
    _ scalar: Unicode.Scalar, _ style: ScreenStyle, row: Int, column: Int
  ) {
    guard row >= 0, row < size.rows, column >= 0, column < size.columns else { return }
    scalars[row * size.columns + column] = scalar
    styles[row * size.columns + column] = scalar == " " ? .plain : style
  }

  /// Returns the rows from top to bottom without trailing blanks. With `inColour`, each line
  /// contains its own escape sequences for the styles.
  func lines(inColour: Bool) -> [String] {
    (0..<size.rows).map { row in
      let cells = row * size.columns..<(row + 1) * size.columns
      guard let last = cells.last(where: { scalars[$0] != " " }) else { return "" }
      var line = String.UnicodeScalarView()
      var style = ScreenStyle.plain
      for cell in cells.lowerBound...last {
        // A blank looks the same in every style.
        if inColour, styles[cell] != style, scalars[cell] != " " {
          style = styles[cell]
          line.append(contentsOf: "\u{1B}[\(style.parameters)m".unicodeScalars)
        }
        line.append(scalars[cell])
      }
      if style != .plain { line.append(contentsOf: "\u{1B}[0m".unicodeScalars) }
      return String(line)
    }
  }
}
