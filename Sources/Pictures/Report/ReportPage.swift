import Judging
import Sketches
import Traces

/// A report as one self-contained HTML file: it needs no other file and no network, and is readable
/// without scripts.
package struct ReportPage: Sendable {
  /// Compresses bytes as gzip; nil if that fails. This module has no compression library.
  package typealias Compression = ([UInt8]) -> [UInt8]?

  /// The maximum size of a page, in bytes.
  package static let sizeMax = 1_000_000
  /// How many bytes of a session its picture can show one by one: the limits to try, in order.
  private static let bytesMax = [400_000, 100_000, 20_000, 2_000]

  /// The page's heading, if it has several sessions.
  package var heading: String?
  /// A summary under the heading.
  package var summary: String?
  private let entries: [ReportEntry]
  /// The name and version of the program that made the page.
  let program: String
  private let script: String

  /// - Parameter script: what makes the pictures enlargeable. The playground has it already, and
  ///   would load it twice with a copy in its WebAssembly.
  package init(_ entries: [ReportEntry], program: String, script: String) {
    self.entries = entries
    self.program = program
    self.script = script
  }

  package init(_ entries: [ReportEntry], program: String) {
    let scripts = [
      PackageResources.session_js, PackageResources.drawing_js, PackageResources.page_js,
    ]
    self.init(
      entries, program: program,
      script: scripts.map { String(decoding: $0, as: UTF8.self) }.joined())
  }

  /// Returns the page's text. Anything that does not fit is left out, and the page says so.
  package func html(compressing compress: @escaping Compression) -> String {
    var attaches = true
    for bytesMax in Self.bytesMax + [0] {
      let text = page(bytesMax: bytesMax, attaches: attaches, compress)
      if text.utf8.count <= Self.sizeMax { return text }
      // Drop the trace first: it exists elsewhere, and the picture can then often show every byte.
      if attaches {
        attaches = false
        let text = page(bytesMax: bytesMax, attaches: false, compress)
        if text.utf8.count <= Self.sizeMax { return text }
      }
    }
    return page(bytesMax: nil, attaches: false, compress)
  }

  /// The style sheet of a page that contains such sections.
  package static var style: String {
    String(decoding: PackageResources.page_css, as: UTF8.self) + StyleSheet.text + StyleSheet.dashes
      + StyleSheet.levels + TrackingPicture.pageStyle
  }
  /// The definitions that the pictures of such a page refer to, as an element to insert once.
  package static var definitions: String {
    """
    <svg class="r-defs" width="0" height="0" aria-hidden="true" focusable="false">
    \(SessionPicture.definitions)</svg>

    """
  }

  /// Returns the part of another page that shows a session. That page must contain the style, the
  /// definitions and the scripts. `number` distinguishes the section from others in the same page.
  package static func section(
    of entry: ReportEntry, number: Int, compressing compress: @escaping Compression
  ) -> String {
    ReportSection(
      entry: entry, number: number, isAlone: false, bytesMax: bytesMax[1], attaches: false,
      compress: compress
    ).html.text
  }

  private func page(bytesMax: Int?, attaches: Bool, _ compress: @escaping Compression) -> String {
    let title = heading ?? entries.first?.title ?? "A report"
    let style = Self.style
    let policy =
      "default-src 'none'; script-src '\(Self.hash(script))'; style-src '\(Self.hash(style))'; "
      + "img-src data:; base-uri 'none'; form-action 'none'"
    var page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="generator" content="\(program)">
      <title>\(title)</title>
      <link rel="icon" href="data:,">
      <style>\(HTML(trusted: style))</style>
      </head>
      <body>
      \(HTML(trusted: Self.definitions))<main>

      """
    var sections: [HTML] = []
    var size = 0
    for (index, entry) in entries.enumerated() where heading == nil || entry.hasSection {
      let section = ReportSection(
        entry: entry, number: index + 1, isAlone: heading == nil, bytesMax: bytesMax,
        attaches: attaches, compress: compress)
      let html = section.html
      // If there are several, only those that fit are shown in full; the index lists all of them.
      guard heading == nil || size + html.text.utf8.count < Self.sizeMax * 4 / 5 else {
        sections.append(section.short)
        continue
      }
      size += html.text.utf8.count
      sections.append(html)
    }
    if let heading {
      page += "<header>\n<p class=\"r-kind\">\(program)</p>\n<h1>\(heading)</h1>\n"
      if let summary { page += "<p class=\"r-lead\">\(summary)</p>\n" }
      page += "</header>\n\(index)"
    }
    for section in sections { page += section }
    page += "</main>\n<script>\(HTML(trusted: script))</script>\n</body>\n</html>\n"
    return page.text
  }

  /// The table of several sessions.
  private var index: HTML {
    guard !entries.isEmpty else { return "" }
    let rows = entries.enumerated().map { index, entry -> HTML in
      """
      <tr><th scope="row">\
      \(link(to: entry, index + 1))\
      </th>\
      <td><span class="r-word r-\(entry.verdict.tone.rawValue)">\(entry.verdict.word)</span>\
      </td><td>\(entry.verdict.sentence)</td></tr>

      """
    }
    return .table(
      "Sessions", class: "r-index", caption: "Sessions", ["Session", "Verdict", "Summary"], rows)
  }

  private func link(to entry: ReportEntry, _ number: Int) -> HTML {
    entry.hasSection ? "<a href=\"#s\(number)\">\(entry.name)</a>" : "\(entry.name)"
  }

  private static func hash(_ text: String) -> String {
    "sha256-" + Base64.text(of: SHA256.hash(of: Array(text.utf8)))
  }
}

/// A session in a report: its verdict and, if it is shown in more detail, everything else.
package struct ReportEntry: Sendable {
  /// The name of the trace or scenario.
  package var name: String
  package var verdict: ReportVerdict
  package var report: SessionReport?

  package init(_ name: String, _ verdict: ReportVerdict, _ report: SessionReport? = nil) {
    self.name = name
    self.verdict = verdict
    self.report = report
  }

  /// Whether there is more to show than the index contains.
  var hasSection: Bool { report != nil || verdict.tone != .good }
  var title: String { report?.session.title.flatMap { $0.isEmpty ? nil : $0 } ?? name }
}
