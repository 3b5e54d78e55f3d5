/// A part of an HTML page. Text interpolated into a literal is escaped, interpolated HTML is not:
///
///     let cell: HTML = "<td>\(title)</td>"
struct HTML: ExpressibleByStringInterpolation, Hashable, Sendable {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ text: String) { self.text += XMLText.escaped(text) }
    mutating func appendInterpolation(_ number: Int) { text += "\(number)" }
    /// Appends text of several lines. Unlike in other text, line breaks are kept.
    mutating func appendInterpolation(lines text: String) {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        self.text += (index > 0 ? "\n" : "") + XMLText.escaped(String(line))
      }
    }
    mutating func appendInterpolation(_ part: HTML) { text += part.text }
  }

  private(set) var text: String

  init(stringLiteral text: String) { self.text = text }
  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Creates a part from text that is already HTML.
  init(trusted text: String) { self.text = text }

  static func + (a: HTML, b: HTML) -> HTML { HTML([a, b]) }

  static func += (page: inout HTML, part: HTML) { page.text += part.text }

  /// A table that scrolls if it is wider than the page. `label` is for those who do not see it.
  static func table(
    _ label: String, class name: String, caption: String, _ columns: [String], _ rows: [HTML]
  ) -> HTML {
    let heads = columns.map { column -> HTML in "<th scope=\"col\">\(column)</th>" }
    return """
      <div class="r-scroll" tabindex="0" role="region" aria-label="\(label)">
      <table class="r-table \(name)">
      <caption>\(caption)</caption>
      <thead><tr>\(HTML(heads))</tr></thead>
      <tbody>
      \(HTML(rows))</tbody></table></div>

      """
  }

  /// Joins parts in order.
  init(_ parts: [HTML]) {
    text = ""
    for part in parts { text += part.text }
  }
}
