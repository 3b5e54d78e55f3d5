/// A part of a screen, in cells; it may be empty.
struct ScreenArea: Hashable {
  var row: Int
  var column: Int
  var columns: Int
  var rows: Int

  init(row: Int, column: Int, columns: Int, rows: Int) {
    self.row = row
    self.column = column
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  /// Takes rows off the top.
  mutating func takeRows(_ count: Int) -> ScreenArea {
    let count = min(max(0, count), rows)
    let top = ScreenArea(row: row, column: column, columns: columns, rows: count)
    row += count
    rows -= count
    return top
  }

  /// Takes columns off the left, and the gap behind them.
  mutating func takeColumns(_ count: Int, gap: Int = 0) -> ScreenArea {
    let count = min(max(0, count), columns)
    let left = ScreenArea(row: row, column: column, columns: count, rows: rows)
    column += min(count + gap, columns)
    columns -= min(count + gap, columns)
    return left
  }
}
