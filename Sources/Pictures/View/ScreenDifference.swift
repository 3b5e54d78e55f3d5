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
