/// Some text in one style; several make a line.
struct ScreenRun: Hashable {
  var text: String
  var style: ScreenStyle

  init(_ text: String, _ style: ScreenStyle = .plain) {
    self.text = text
    self.style = style
  }

  /// How many cells it takes: one for each scalar, see `GlyphSet`.
  var width: Int { text.unicodeScalars.count }
}

extension [ScreenRun] {
  /// How many cells the line takes.
  var width: Int { reduce(0) { $0 + $1.width } }
}
