/// The layout of the live view on a screen of a given size.
///
///     wide                                      compact
///     port                how it ends    time   firmware   how it ends   time
///     firmware, speed, clients  rec. or keys    port
///     the last warning                          linear gauge
///     dial          figures      (commands)     angles, mode, bytes
///     commands                                  commands
///     hints                                     hints
package struct LiveScreen: Hashable, Sendable {
  package var size: ScreenSize
  package var glyphs: GlyphSet
  package var inColour: Bool

  /// The minimum size for showing the dial and the figures next to each other.
  private static let wideMin = ScreenSize(columns: 68, rows: 17)
  /// The minimum number of rows for commands and their heading.
  static let commandRowsMin = 4

  package init(size: ScreenSize, glyphs: GlyphSet, inColour: Bool) {
    self.size = size
    self.glyphs = glyphs
    self.inColour = inColour
  }

  /// Returns a line for each row of the screen, at most as wide as the screen. Each scalar that is
  /// not part of an escape sequence takes one cell.
  package func lines(for status: LiveStatus) -> [String] {
    var canvas = ScreenCanvas(size, glyphs)
    if size.columns >= Self.wideMin.columns, size.rows >= Self.wideMin.rows {
      drawWide(status, on: &canvas)
    } else {
      drawCompact(status, on: &canvas)
    }
    return canvas.lines(inColour: inColour)
  }

  /// Draws a horizontal line with a caption in it.
  func drawRule(_ caption: String, on canvas: inout ScreenCanvas, in area: ScreenArea) {
    let rest = max(0, area.columns - caption.unicodeScalars.count - 4)
    canvas.put(
      [
        ScreenRun("── ", .faint), ScreenRun(caption, .faint),
        ScreenRun(" " + String(repeating: "─", count: rest), .faint),
      ], in: area)
  }

  /// Draws text at both ends of a line. If there is not enough room, the left text is cut first.
  func drawLine(
    _ left: [ScreenRun], _ right: [ScreenRun], on canvas: inout ScreenCanvas, in area: ScreenArea
  ) {
    let room = area.columns - right.width
    var left = left
    if !right.isEmpty, room > 2 {
      canvas.put(right, in: area, at: room)
      var area = area
      canvas.put(left, in: area.takeColumns(room - 2))
    } else {
      left += right.isEmpty ? [] : [ScreenRun("  ")] + right
      canvas.put(left, in: area)
    }
  }
}
