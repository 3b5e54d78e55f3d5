package import Sketches

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

  var area: ScreenArea { ScreenArea(row: 0, column: 0, columns: size.columns, rows: size.rows) }

  /// Writes text on a line of an area, starting at one of its columns. If the text does not fit,
  /// its last cell shows that.
  mutating func put(_ runs: [ScreenRun], in area: ScreenArea, line: Int = 0, at start: Int = 0) {
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

  private mutating func set(_ scalar: Unicode.Scalar, _ style: ScreenStyle, row: Int, column: Int) {
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
          line.append(contentsOf: "\u{1B}[\(style.rawValue)m".unicodeScalars)
        }
        line.append(scalars[cell])
      }
      if style != .plain { line.append(contentsOf: "\u{1B}[0m".unicodeScalars) }
      return String(line)
    }
  }
}

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

/// The size of a terminal in character cells.
package struct ScreenSize: Hashable, Sendable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// Text in one style. A line consists of several runs.
struct ScreenRun: Hashable {
  var text: String
  var style: ScreenStyle

  init(_ text: String, _ style: ScreenStyle = .plain) {
    self.text = text
    self.style = style
  }

  /// Its width in cells: one for each scalar (see `GlyphSet`).
  var width: Int { text.unicodeScalars.count }
}

extension [ScreenRun] {
  /// The width of the line in cells.
  var width: Int { reduce(0) { $0 + $1.width } }
}

/// The meaning of a cell's colour; the raw value has the parameters of the escape sequence that
/// selects it. The colours are the terminal's own sixteen, so they suit its theme.
enum ScreenStyle: String {
  case plain = "0"
  /// Labels, rules, scales.
  case faint = "0;2"
  case strong = "0;1"
  case commanded = "0;32"
  case shaft = "0;1;36"
  case warning = "0;33"
  case alarm = "0;1;31"
}

/// The characters that a terminal displays reliably. Each scalar takes exactly one cell; any other
/// scalar is replaced by `?`.
package enum GlyphSet: Hashable, Sendable {
  case ascii
  /// Letters, box drawing, blocks and Braille.
  case unicode

  func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.value >= 0x20, scalar.value < 0x7F { return scalar }
    switch self {
    case .ascii: return Self.ascii(scalar)
    case .unicode: return Self.takesOneCell(scalar) ? scalar : "?"
    }
  }

  /// Whether a text is displayed unchanged, so that it can be copied.
  func shows(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { shown($0) == $0 } }

  /// The degree sign or unit that follows a number.
  var degrees: String { self == .unicode ? "°" : " deg" }

  private static func takesOneCell(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x02FF, 0x0391...0x03A1, 0x03A3...0x03FF,
      0x0400...0x0482, 0x048A...0x052F, 0x2010...0x2015, 0x2018...0x201E, 0x2026, 0x2190...0x2193,
      0x2500...0x25FC, 0x2800...0x28FF:
      true
    default: false
    }
  }

  private static func ascii(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "─", "·": "-"
    case "━": "="
    case "│", "├", "┤": "|"
    case "┼", "┴", "┬": "+"
    case "▲", "↑": "^"
    case "▼", "↓": "v"
    case "◆", "●": "*"
    case "…": ">"
    default: "?"
    }
  }
}

/// Computes the bytes that change a terminal's contents to the next screen.
package enum ScreenDifference {
  private static let begin = "\u{1B}[?2026h"
  private static let end = "\u{1B}[?2026l"

  /// Returns the bytes that rewrite the changed lines, as one synchronized update, which terminals
  /// that support it display at once. Redraws everything if `old` is nil or has a different number
  /// of lines. Empty if nothing has changed.
  ///
  /// `old` and `new` are lines of `LiveScreen` for the same size; the terminal must not wrap them.
  package static func bytes(from old: [String]?, to new: [String]) -> [UInt8] {
    var text = ""
    if let old, old.count == new.count {
      for (row, (before, after)) in zip(old, new).enumerated() where before != after {
        text += position(row) + after
        // After a line that fills the screen, the cursor is on its last cell, so do not erase to
        // the end of the line unless there is something to erase.
        if width(after) < width(before) { text += "\u{1B}[K" }
      }
      guard !text.isEmpty else { return [] }
    } else {
      text += "\u{1B}[0m\u{1B}[2J"
      for (row, line) in new.enumerated() where !line.isEmpty { text += position(row) + line }
    }
    return Array((begin + text + end).utf8)
  }

  private static func position(_ row: Int) -> String { "\u{1B}[\(row + 1);1H" }

  /// The number of cells in a line: its scalars without the escape sequences.
  package static func width(_ line: String) -> Int {
    var width = 0
    var isEscape = false
    for scalar in line.unicodeScalars {
      if isEscape {
        isEscape = scalar != "m"
      } else if scalar == "\u{1B}" {
        isEscape = true
      } else {
        width += 1
      }
    }
    return width
  }
}

/// Limits the view to thirty redraws a second, and dashboards to as many messages. Instants are
/// those of the loop's monotonic clock.
package struct RedrawLimiter: Hashable, Sendable {
  /// The shortest time between two redraws.
  package static let period = Interval(nanoseconds: 33_333_334)

  private var last: Instant?
  private var isWanted = false

  package init() {}

  /// When to redraw next; nil if none is requested.
  package var next: Instant? { isWanted ? last.map { $0 + Self.period } ?? .zero : nil }

  /// Returns whether to redraw now, and counts it. If not, a redraw is requested for later.
  package mutating func admit(at now: Instant) -> Bool {
    if let last, now - last < Self.period {
      isWanted = true
      return false
    }
    last = now
    isWanted = false
    return true
  }

  /// Requests another redraw, since something is still changing.
  package mutating func wantAnother() { isWanted = true }

  /// Cancels the requested redraw.
  package mutating func cancel() { isWanted = false }
}
