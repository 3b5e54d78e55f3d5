package import Captures
import Traces
import Turret

/// The contents of a recording, for `convert --list`.
package struct CaptureListing {
  private let summary: CaptureSummary

  package init(_ summary: CaptureSummary) { self.summary = summary }

  /// The kind and the length, then a table of the channels.
  package var lines: [String] {
    let rows =
      [["channel", "role", "baud", "polarity", "found"]]
      + summary.channels.map { channel in
        [
          PlainText.of(channel.name, upTo: PlainText.quotedMax), channel.role ?? "-",
          channel.baud.map { "\($0)" } ?? "-", channel.isInverted ? "inverted" : "normal",
          channel.counts.isEmpty ? "-" : channel.counts.joined(separator: ", "),
        ]
      }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let table = rows.map { row in
      zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ").trimmingSpacesAtEnd()
    }
    return [summary.title] + table
  }

  package var json: String {
    func number(_ interval: Interval?) -> JSONValue {
      interval.map { .number(String(shortest: $0)) } ?? .null
    }
    var json = JSONText()
    json.add("kind", summary.kind.rawValue)
    json.add("duration", number(summary.duration))
    json.add("resolution", number(summary.resolution))
    json.add("uncertainty", number(summary.uncertainty))
    json.add("framing_errors", summary.framingErrors)
    json.add("glitches", summary.glitches)
    json.add("holes", summary.holes)
    json.add("channels", .array(summary.channels.map { Self.json($0) }))
    json.add("notes", .array(summary.notes.map { .string($0) }))
    return json.text
  }

  private static func json(_ channel: CaptureSummary.Channel) -> JSONValue {
    var json = JSONText()
    json.add("name", channel.name)
    json.add("role", channel.role.map { .string($0) } ?? .null)
    json.add("baud", channel.baud.map { .number("\($0)") } ?? .null)
    json.add("inverted", .bool(channel.isInverted))
    json.add("counts", .array(channel.counts.map { .string($0) }))
    return json.value
  }
}

extension String {
  /// Returns the text without the spaces at its end.
  fileprivate func trimmingSpacesAtEnd() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
