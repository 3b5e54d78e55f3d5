import Traces
import Turret

/// Consecutive bytes that are drawn as one word.
struct ByteWord {
  var entries: ArraySlice<Ledger.Entry>
  /// The positions of the first and last byte's ticks.
  var first: Double
  var last: Double

  /// Longer words are shortened.
  private static let lettersMax = 16
  /// A long word with at least this many commands shows their number.
  private static let commandCountMin = 8

  /// The word as runs with one fate each. A long word is reduced to its beginning and end, and many
  /// commands to their number.
  var runs: [(text: String, class: String?)] {
    guard entries.count > Self.lettersMax else { return Self.runs(of: entries) }
    let commandCount = entries.count { $0.fate == .letter }
    if commandCount >= Self.commandCountMin {
      let commands = entries.drop { $0.fate != .letter }
      let first = commands.prefix(1) + commands.dropFirst().prefix { $0.fate != .letter }
      let last = entries[(entries.lastIndex { $0.fate == .letter } ?? entries.startIndex)...]
      // No run ends in a space, because some programs leave it out.
      return [("\(Crowd.name(commandCount)) (", "note")] + Self.runs(of: first.prefix(8))
        + [("…", "note")] + Self.runs(of: last.prefix(8)) + [(")", "note")]
    }
    let ends = (head: entries.prefix(8), tail: entries.suffix(6))
    let left = entries.count - ends.head.count - ends.tail.count
    return Self.runs(of: ends.head) + [("…\(left)…", "note")] + Self.runs(of: ends.tail)
  }

  private static func runs(
    of entries: ArraySlice<Ledger.Entry>
  ) -> [(text: String, class: String?)] {
    var runs: [(text: String, class: String?)] = []
    for entry in entries {
      let text = XMLText.byte(entry.byte)
      if let last = runs.last, last.class == entry.fate.styleClass {
        runs[runs.count - 1].text = last.text + text
      } else {
        runs.append((text, entry.fate.styleClass))
      }
    }
    return runs
  }

  /// The tooltip shown when a pointer is over the word.
  var tooltip: String {
    var text = "\(XMLText.number(entries[entries.startIndex].arrived.seconds, places: 6)) s: "
    for entry in entries.prefix(64) { text += XMLText.byte(entry.byte) }
    if entries.count > 64 { text += "… (\(String(counting: entries.count, "byte")))" }
    var counts: [(caption: String, count: Int)] = []
    for entry in entries {
      if let index = counts.firstIndex(where: { $0.caption == entry.fate.caption }) {
        counts[index].count += 1
      } else {
        counts.append((entry.fate.caption, 1))
      }
    }
    return text + " - " + counts.map { "\($0.count) \($0.caption)" }.joined(separator: ", ")
  }

  /// Splits bytes into words where there is room for separate letters and where a pause on the line
  /// is wide enough to be visible.
  static func words(of entries: [Ledger.Entry], in layout: Layout) -> [ByteWord] {
    let gaps = zip(entries, entries.dropFirst()).map { $1.arrived - $0.arrived }
    let quiet = (gaps.min() ?? .zero).nanoseconds * 3
    var words: [ByteWord] = []
    var start = 0
    for index in entries.indices {
      let x = layout.x(entries[index].arrived)
      let isLast = index == entries.count - 1
      let gap = isLast ? 0 : layout.x(entries[index + 1].arrived) - x
      guard isLast || gap >= 11 || gap >= 3 && gaps[index].nanoseconds > quiet else { continue }
      words.append(
        ByteWord(
          entries: entries[start...index], first: layout.x(entries[start].arrived), last: x))
      start = index + 1
    }
    return words
  }
}
