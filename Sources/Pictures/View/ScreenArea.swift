/// A part of a screen, in cells. It can be empty.
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

  /// Removes rows from the top and returns them.
  mutating func takeRows(_ count: Int) -> ScreenArea {
    let count = min(max(0, count), rows)
    let top = ScreenArea(row: row, column: column, columns: columns, rows: count)
    row += count
    rows -= count
    return top
  }

  /// Removes columns from the left, with the gap after them, and returns the columns.
  mutating func takeColumns(_ count: Int, gap: Int = 0) -> ScreenArea {
    let count = min(max(0, count), columns)
    let left = ScreenArea(row: row, column: column, columns: count, rows: rows)
    column += min(count + gap, columns)
    columns -= min(count + gap, columns)
    return left
  }
}
