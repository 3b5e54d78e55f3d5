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
