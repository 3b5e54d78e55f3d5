/// The bytes that turn what a terminal shows into the next frame.
package enum FrameDifference {
  private static let begin = "\u{1B}[?2026h"
  private static let end = "\u{1B}[?2026l"

  /// Rewrites the lines that are others than before, as one synchronised update, which a terminal
  /// that knows it shows at once. Nil for `old`, or another number of lines: all is drawn anew.
  /// Empty where nothing is to be done.
  ///
  /// `old` and `new` are lines of `LiveScreen` for one size; the terminal must not wrap them.
  package static func bytes(from old: [String]?, to new: [String]) -> [UInt8] {
    var text = ""
    if let old, old.count == new.count {
      for (row, (before, after)) in zip(old, new).enumerated() where before != after {
        text += position(row) + after
        // After a line that fills the screen the cursor stands on its last cell, so erasing is left
        // out where there is nothing to erase.
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

  /// The cells of a line: its scalars without the escape sequences.
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
