import Traces
import Turret
import Verification

/// The events around a divergence: the trace on the left, the device on the right.
struct DivergenceTable {
  private static let reach = 3
  /// The longest event that is shown whole, in characters.
  private static let eventMax = 80

  private let divergence: Divergence

  init(_ divergence: Divergence) { self.divergence = divergence }

  var text: String {
    var rows: [(time: Instant, isMarked: Bool, line: String, left: String, right: String)] = []
    var done = near(divergence.done)
    for neighbour in near(divergence.traced) {
      let isExpected = neighbour.event == divergence.expected?.event
      var right = ""
      if let output = neighbour.event.output, !isExpected || divergence.found == nil {
        // The device's output for this line, if it is the same.
        if let index = done.firstIndex(where: {
          $0.event.output == output
            && ($0.event.time - neighbour.event.time).magnitude <= divergence.tolerance
        }) {
          right = Self.text(done.remove(at: index).event)
        }
      }
      rows.append(
        (
          neighbour.event.time, isExpected, neighbour.line.map { "\($0)" } ?? "",
          Self.text(neighbour.event), right
        ))
    }
    for neighbour in done {
      let isFound = neighbour.event == divergence.found
      rows.append((neighbour.event.time, isFound, "", "", Self.text(neighbour.event)))
    }
    rows.sort { $0.time < $1.time }
    let lineWidth = rows.map(\.line.count).max() ?? 0
    let leftWidth = max(8, rows.map(\.left.count).max() ?? 0)
    var text =
      "    " + "".padded(to: lineWidth + 4) + "expected".padded(to: leftWidth) + "   found\n"
    for row in rows {
      let line = String(repeating: " ", count: lineWidth - row.line.count) + row.line
      var rendered = "    \(row.isMarked ? ">" : " ") \(line)  "
      rendered += "\(row.left.padded(to: leftWidth))   \(row.right)"
      while rendered.last == " " { rendered.removeLast() }
      text += rendered + "\n"
    }
    return text
  }

  /// Returns the events close to the divergence.
  private func near(_ neighbours: [Divergence.Neighbour]) -> [Divergence.Neighbour] {
    let before = neighbours.filter { $0.event.time < divergence.time }.suffix(Self.reach)
    let after = neighbours.filter { $0.event.time >= divergence.time }.prefix(Self.reach + 1)
    return Array(before + after)
  }

  private static func text(_ event: Event) -> String {
    var line: [UInt8] = []
    line.appendLine(event)
    return PlainText.of(String(decoding: line.dropLast(), as: UTF8.self), upTo: Self.eventMax)
  }
}
