import Traces
import Turret
import Verification

extension ReportSection {
  /// The table of what followed the bytes, for a sketch that no model behaves as.
  func effects(_ report: SessionReport) -> HTML {
    let all = report.observed.map { ObservedEffect.find(in: $0) } ?? []
    guard !all.isEmpty else { return "" }
    let caption =
      all.count > Self.commandsMax
      ? "The first \(Self.commandsMax) of \(all.count) groups of bytes"
      : "The bytes, divided where outputs followed"
    var html = heading("What followed the bytes")
    html += """
      <div class="r-scroll" tabindex="0" role="region" aria-label="What followed the bytes">
      <table class="r-table r-commands">
      <caption>\(caption)</caption>
      <thead><tr><th scope="col">Arrived, s</th><th scope="col">Sent</th>\
      <th scope="col">What followed</th><th scope="col">After the last byte</th></tr></thead>
      <tbody>

      """
    for effect in all.prefix(Self.commandsMax) {
      let quoted = ByteText.quoted(effect.bytes.prefix(Self.bytesShown))
      let bytes = String(quoted.dropFirst().dropLast())
      let rest = effect.bytes.count - Self.bytesShown
      html += """
        <tr\(effect.trouble == nil ? "" : " class=\"r-trouble\"" as HTML)>\
        <td>\(moment(effect.time, Self.seconds(effect.time)))</td>\
        <td><code>\(bytes)</code>\(rest > 0 ? " and \(rest) more" : "")</td>\
        <td>\(effect.text.isEmpty ? "nothing" : effect.text)\
        \(effect.trouble.map { "<br><small>\($0)</small>" } ?? "" as HTML)</td>\
        <td class="r-number">\(effect.delay.map(Self.readable) ?? "–")</td></tr>

        """
    }
    return html + "</tbody></table></div>\n"
  }

  /// The size of the longest group that is shown in full, in bytes.
  private static let bytesShown = 60
}
